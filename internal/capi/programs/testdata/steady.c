// Messages and collectives of mixed sizes, with blocks of malloc: steady SECONDS. The program marks the end of
// MPI_Init, of a first round, of the time, and of MPI_Finalize for a tracer (testkit.CountCalls).
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank, size;
static double *out, *in;

static void mark(int phase) { madvise(NULL, 0, 1000 + phase); }

static void each(int n) {
	MPI_Request request;
	MPI_Sendrecv(out, n, MPI_DOUBLE, (rank + 1) % size, 1, in, n, MPI_DOUBLE, (rank + size - 1) % size, 1,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Bcast(in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	char *block = malloc(8 * (size_t)n); // as programs have them for a step
	memset(block, 1, 8 * (size_t)n);
	free(block);
}

static void all(void) {
	static const int sizes[] = {1, 11, 100, 500, 3000, 10000, 100000};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		each(sizes[i]);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	mark(1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	out = calloc((size_t)size, 800000), in = calloc((size_t)size, 800000);
	for (int i = 0; i < 200; i++)
		all();
	mark(2);
	double begin = MPI_Wtime();
	for (int over = 0; !over;) {
		all();
		over = MPI_Wtime() - begin >= atof(argv[1]);
		MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	mark(3);
	MPI_Finalize();
	mark(4);
	return 0;
}
