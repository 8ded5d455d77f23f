/* The overlap benchmark of pvasrun for an installed MPI: the same loops as
 * overlap_rank.go, the same output.
 *
 *   overlap SECONDS BYTES:GRAIN:TESTS:NANOSECONDS,...
 *
 * broadcasts BYTES while each rank multiplies GRAIN x GRAIN matrices: for NANOSECONDS
 * per message with TESTS calls of MPI_Test in between, then MPI_Wait; or, with -1 TESTS,
 * until MPI_Test after a product says that the message is there. It prints, for each,
 * "repetitions pure product products elapsed": microseconds of a broadcast with nothing
 * else, nanoseconds of a product with nothing else, products of a rank per message, and
 * microseconds of a message with them; averages over the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = -1, BATCH = 8 };

static int rank, size, grain, bytes;
static double seconds, *a, *b, *c;
static char *buf;

static __attribute__((noinline)) void multiply(void)
{
	for (int i = 0; i < grain; i++)
		for (int j = 0; j < grain; j++) {
			double sum = 0;
			for (int k = 0; k < grain; k++)
				sum += a[i * grain + k] * b[k * grain + j];
			c[i * grain + j] = sum;
		}
}

static double average(double t)
{
	double sum;
	MPI_Allreduce(&t, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum / size;
}

/* How many of a kind fit into SECONDS, as rank 0 thinks. */
static long fit(double t)
{
	long n = seconds / (t > 1e-9 ? t : 1e-9) + 1;
	MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	return n;
}

/* The seconds that a product takes while all ranks make products. */
static double product(void)
{
	long n = 100000 / (grain * grain * grain) + 2;
	double t;
	for (int round = 0; round < 2; round++) {
		MPI_Barrier(MPI_COMM_WORLD);
		t = MPI_Wtime();
		for (long i = 0; i < n; i++)
			multiply();
		t = (MPI_Wtime() - t) / n;
		if (round == 0)
			n = fit(t);
	}
	return average(t);
}

/* The seconds of a message, during which each rank makes products, and how many. */
static double messages(long reps, long work, int tests, double *products)
{
	long made = 0;
	double t;
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (long i = 0; i < reps; i++) {
		MPI_Request r;
		int root = i % size, done = 0;
		if (rank == root)
			buf[0] = buf[bytes - 1] = (char)i;
		MPI_Ibcast(buf, bytes, MPI_BYTE, root, MPI_COMM_WORLD, &r);
		while (tests == EACH && !done) {
			multiply();
			made++;
			MPI_Test(&r, &done, MPI_STATUS_IGNORE);
		}
		for (int part = 0; part <= tests; part++) {
			for (long k = work * part / (tests + 1); k < work * (part + 1) / (tests + 1); k++, made++)
				multiply();
			if (part < tests)
				MPI_Test(&r, &done, MPI_STATUS_IGNORE);
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		if (buf[0] != (char)i || buf[bytes - 1] != (char)i)
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	t = (MPI_Wtime() - t) / reps;
	*products = average((double)made / reps);
	return average(t);
}

static void measure(int tests, double compute)
{
	double each, pure, elapsed = 0, products = 0;
	long reps = 0;
	a = malloc(sizeof *a * grain * grain);
	b = malloc(sizeof *b * grain * grain);
	c = malloc(sizeof *c * grain * grain);
	for (int i = 0; i < grain * grain; i++)
		a[i] = b[i] = i;
	buf = calloc(1, bytes);
	each = product();
	pure = messages(BATCH, 0, 0, &products);
	pure = messages(fit(pure), 0, 0, &products);
	if (compute > 0 || tests == EACH) {
		long work = compute > each ? compute / each + 0.5 : 1;
		elapsed = messages(BATCH, work, tests, &products);
		reps = fit(elapsed);
		elapsed = messages(reps, work, tests, &products);
	}
	if (rank == 0)
		printf("%ld %.4f %.4f %.4f %.4f\n", reps, pure * 1e6, each * 1e9, products, elapsed * 1e6);
	free(a);
	free(b);
	free(c);
	free(buf);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3)
		MPI_Abort(MPI_COMM_WORLD, 2);
	seconds = atof(argv[1]);
	for (char *item = strtok(argv[2], ","); item; item = strtok(NULL, ",")) {
		int tests;
		double ns;
		if (sscanf(item, "%d:%d:%d:%lf", &bytes, &grain, &tests, &ns) != 4)
			MPI_Abort(MPI_COMM_WORLD, 2);
		measure(tests, ns * 1e-9);
	}
	MPI_Finalize();
	return 0;
}
