/* The memory experiment of pvasrun for an installed MPI: the same calls as
 * footprint_rank.go, and the readings that pvasrun takes of its own jobs from outside.
 *
 *   footprint BYTES REPETITIONS SECONDS RANKS
 *
 * prints "repetitions microseconds vmpte-growth memory-growth pss-growth pagetables": the
 * time of one call of Alltoall; between before the first call and after the last, the
 * growth of VmPTE summed over the processes, the fall of MemAvailable, and the growth of
 * PSS summed over the processes; and PageTables of /proc/meminfo after it; in KiB. */
#include "common.h"

static int block;
static char *out, *in;
static double spent;

/* field returns a line of a file of /proc, in KiB. */
static long field(const char *file, const char *name)
{
	char line[256];
	long value = -1;
	FILE *f = fopen(file, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name));
	if (!f || value < 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	fclose(f);
	return value;
}

struct reading {
	long vmpte, pss;        /* of this process */
	long available, tables; /* of the machine, at rank 0 */
};

/* take reads while all stand still. */
static struct reading take(void)
{
	struct reading r = { 0, 0, 0, 0 };
	MPI_Barrier(MPI_COMM_WORLD);
	r.vmpte = field("/proc/self/status", "VmPTE:");
	r.pss = field("/proc/self/smaps_rollup", "Pss:");
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		FILE *f = fopen("/proc/sys/vm/stat_refresh", "w"); /* root only: adds up what CPUs hold back */
		if (f) {
			fputs("1\n", f);
			fclose(f);
		}
		r.available = field("/proc/meminfo", "MemAvailable:");
		r.tables = field("/proc/meminfo", "PageTables:");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return r;
}

static void step(int i)
{
	(void)i;
	MPI_Alltoall(out, block, MPI_BYTE, in, block, MPI_BYTE, MPI_COMM_WORLD);
}

static void calls(int n)
{
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (int i = 0; i < n; i++)
		step(i);
	spent += MPI_Wtime() - t;
}

int main(int argc, char **argv)
{
	start(&argc, &argv, 4);
	block = atoi(argv[1]);
	struct pace limits = { atoi(argv[2]), atof(argv[3]) };
	int done = 0, portion = 1;
	double mine, sum;
	size_t room = (size_t)block * size;
	out = malloc(room);
	in = malloc(room);
	memset(in, 1, room);
	for (size_t i = 0; i < room; i++)
		out[i] = rank + i / block;
	struct reading before = take();
	calls(1);
	spent = 0;
	while (portion > 0) {
		calls(portion);
		done += portion;
		portion = more(limits, done, spent);
		MPI_Bcast(&portion, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	struct reading after = take();
	for (int peer = 0; peer < size; peer++)
		if (in[(size_t)peer * block] != (char)(peer + rank))
			MPI_Abort(MPI_COMM_WORLD, 4);
	mine = spent * 1e6 / done;
	MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	long growth[2] = { after.vmpte - before.vmpte, after.pss - before.pss }, total[2];
	MPI_Reduce(growth, total, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d %.4f %ld %ld %ld %ld\n", done, sum / size, total[0],
		       before.available - after.available, total[1], after.tables);
	MPI_Finalize();
	return 0;
}
