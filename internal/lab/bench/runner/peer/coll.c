/* The benchmarks of collective operations of pvasrun for an installed MPI: the same
 * loops, warm-ups and repetitions as coll_rank.go, the same output.
 *
 *   coll BENCHMARK BYTES:REPETITIONS,... SECONDS [GOROUTINES [LATE]]
 *
 * prints "bytes repetitions average minimum maximum": microseconds for one call, over
 * the ranks. GOROUTINES is 1: there is one thread. LATE is by how many seconds one rank
 * is late in each call. */
#include "common.h"
#include <stdint.h>

static const char *what;
static int n;
static char *out, *in;
static MPI_Comm ring;

static double late;

/* compute lets one rank be late in a call, the same as in coll_rank.go. */
static void compute(int call)
{
	uint64_t x = (uint64_t)(call + 1) * 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	if ((x >> 33) % size != (uint64_t)rank)
		return;
	for (double from = MPI_Wtime(); MPI_Wtime() - from < late;)
		;
}

static void step(int i)
{
	int root = late > 0 ? 0 : i % size;
	MPI_Request request = MPI_REQUEST_NULL;
	if (late > 0)
		compute(i);
	if (!strcmp(what, "barrier"))
		MPI_Barrier(MPI_COMM_WORLD);
	else if (!strcmp(what, "bcast"))
		MPI_Bcast(out, n, MPI_BYTE, root, MPI_COMM_WORLD);
	else if (!strcmp(what, "gather"))
		MPI_Gather(out, n, MPI_BYTE, in, n, MPI_BYTE, root, MPI_COMM_WORLD);
	else if (!strcmp(what, "scatter"))
		MPI_Scatter(out, n, MPI_BYTE, in, n, MPI_BYTE, root, MPI_COMM_WORLD);
	else if (!strcmp(what, "reduce"))
		MPI_Reduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
	else if (!strcmp(what, "allreduce"))
		MPI_Allreduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	else if (!strcmp(what, "reduce_scatter"))
		MPI_Reduce_scatter_block(out, in, n / 8 / size > 0 ? n / 8 / size : 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	else if (!strcmp(what, "allgather"))
		MPI_Allgather(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD);
	else if (!strcmp(what, "alltoall"))
		MPI_Alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD);
	else if (!strcmp(what, "ibarrier"))
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
	else if (!strcmp(what, "ibcast"))
		MPI_Ibcast(out, n, MPI_BYTE, root, MPI_COMM_WORLD, &request);
	else if (!strcmp(what, "iallreduce"))
		MPI_Iallreduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	else if (!strcmp(what, "ialltoall"))
		MPI_Ialltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD, &request);
	else if (!strcmp(what, "neighbor"))
		MPI_Neighbor_alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, ring);
	else
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (request != MPI_REQUEST_NULL)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure(struct pace limits)
{
	double t, low, high, sum;
	size_t room = (size_t)n * (size > 2 ? size : 2) + 8;
	out = malloc(room);
	in = malloc(room);
	memset(out, 0, room);
	memset(in, 0, room);
	int reps = warm_up(limits);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (int i = 0; i < reps; i++)
		step(i);
	t = (MPI_Wtime() - t) * 1e6 / reps;
	MPI_Reduce(&t, &low, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&t, &high, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&t, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("%d %d %.4f %.4f %.4f\n", n, reps, sum / size, low, high);
		fflush(stdout);
	}
	free(out);
	free(in);
}

int main(int argc, char **argv)
{
	int periodic = 1;
	start(&argc, &argv, 3);
	what = argv[1];
	late = argc > 5 ? atof(argv[5]) : 0;
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
	for (char *item = strtok(argv[2], ","); item; item = strtok(NULL, ",")) {
		int reps;
		if (sscanf(item, "%d:%d", &n, &reps) != 2)
			MPI_Abort(MPI_COMM_WORLD, 2);
		measure((struct pace){ reps, atof(argv[3]) });
	}
	MPI_Finalize();
	return 0;
}
