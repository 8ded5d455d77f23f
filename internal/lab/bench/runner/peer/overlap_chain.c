/* The chain of the overlap benchmark of pvasrun for an installed MPI: the same loops as
 * overlap_chain_rank.go, the same output.
 *
 *   overlap_chain BYTES PERIOD REPETITIONS
 *
 * sends BYTES from rank to rank; all but the first and the last compute for PERIOD
 * milliseconds of the clock, then call MPI_Test once, and so on. It prints, for each
 * repetition, the microseconds from the first rank's send until the last has the data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1 };

static int rank, size, bytes;
static double period;
static char *buf;

/* Comparable between the ranks. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void compute(void)
{
	volatile double x = 1;
	double end = MPI_Wtime() + period;
	while (MPI_Wtime() < end)
		for (int i = 0; i < 1000; i++)
			x *= 1.0000001;
}

static void inner(void)
{
	MPI_Request r;
	int done = 0;
	MPI_Irecv(buf, bytes, MPI_BYTE, rank - 1, TAG, MPI_COMM_WORLD, &r);
	while (!done) {
		compute();
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
	}
	MPI_Isend(buf, bytes, MPI_BYTE, rank + 1, TAG, MPI_COMM_WORLD, &r);
	for (done = 0; !done;) {
		compute();
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
	}
}

static double once(char stamp)
{
	double t = 0, start, took = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		t = now();
		buf[0] = buf[bytes - 1] = stamp;
		MPI_Send(buf, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
	} else if (rank < size - 1)
		inner();
	else {
		MPI_Recv(buf, bytes, MPI_BYTE, rank - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		t = now();
	}
	if (buf[0] != stamp || buf[bytes - 1] != stamp)
		MPI_Abort(MPI_COMM_WORLD, 3);
	start = t;
	MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	t -= start;
	MPI_Reduce(&t, &took, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return took;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 4 || size < 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	bytes = atoi(argv[1]);
	period = atof(argv[2]) * 1e-3;
	buf = calloc(1, bytes);
	for (int i = 0; i < atoi(argv[3]); i++) {
		double took = once((char)(i + 1));
		if (rank == 0)
			printf("%.1f\n", took * 1e6);
	}
	MPI_Finalize();
	return 0;
}
