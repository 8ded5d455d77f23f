/* Nonblocking operations over nodes go on while the ranks in the middle compute; an operator of the program runs in
 * calls of its rank alone. argv[1] is a folder: the last rank makes a file in it when it has what the others sent. */
#include "program.h"
#include <time.h>
#include <unistd.h>

enum { LENGTH = 20000 };

static int calls, outside;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	outside += !calls;
	for (int i = 0; i < *n; i++)
		((double *)inout)[i] += ((double *)in)[i];
}

/* compute makes no call until there is a file, or for so many seconds. */
static int compute(const char *file, double most)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	double start = t.tv_sec + t.tv_nsec * 1e-9, now = start;
	volatile double x = 1;
	for (; now - start < most; now = t.tv_sec + t.tv_nsec * 1e-9) {
		for (int i = 0; i < 100000; i++)
			x = 1 + 1 / x;
		if (access(file, F_OK) == 0)
			return 1;
		clock_gettime(CLOCK_MONOTONIC, &t);
	}
	return 0;
}

static double in[LENGTH], out[LENGTH];

int main(int argc, char **argv)
{
	char file[4096];
	MPI_Request r;
	MPI_Op op;
	(void)argc;
	join(MPI_THREAD_SINGLE);
	for (int sum = 0; sum < 2; sum++) {
		snprintf(file, sizeof file, "%s/%d", argv[1], sum);
		for (int i = 0; i < LENGTH; i++)
			in[i] = rank;
		MPI_Barrier(MPI_COMM_WORLD);
		if (sum)
			MPI_Ireduce(in, out, LENGTH, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD, &r);
		else
			MPI_Ibcast(in, LENGTH, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
		if (rank != 0 && rank != size - 1)
			CHECK(compute(file, 60));
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		if (rank == size - 1) {
			double *got = sum ? out : in, want = sum ? (size - 1) * size / 2 : 0;
			CHECK(got[0] == want && got[LENGTH - 1] == want);
			CHECK(fclose(fopen(file, "w")) == 0);
		}
	}
	MPI_Op_create(add, 1, &op);
	calls = 1;
	in[0] = 1;
	MPI_Iallreduce(in, out, 1, MPI_DOUBLE, op, MPI_COMM_WORLD, &r);
	calls = 0;
	compute("/nonexistent", 0.05);
	calls = 1;
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(outside == 0 && out[0] == size);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
