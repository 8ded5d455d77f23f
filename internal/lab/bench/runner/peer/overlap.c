/* The overlap benchmark of pvasrun for an installed MPI: the same loops as
 * overlap_rank.go, the same output.
 *
 *   overlap SECONDS BLOCKS BYTES:GRAIN:TESTS:NANOSECONDS,...
 *
 * broadcasts BYTES while each rank multiplies GRAIN x GRAIN matrices: for NANOSECONDS
 * per message with TESTS calls of MPI_Test in between, then MPI_Wait; or, with -1 TESTS,
 * until MPI_Test after a product says that the message is there. It prints, for each
 * of BLOCKS blocks of loops that take SECONDS, "pure product products elapsed":
 * microseconds of a broadcast with nothing else, nanoseconds of a product with nothing
 * else, products of a rank per message, and microseconds of a message with them;
 * averages over the ranks. */
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
static double product(long n)
{
	double t;
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (long i = 0; i < n; i++)
		multiply();
	return average((MPI_Wtime() - t) / n);
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

/* How often the loops of a block go round. */
static struct {
	long products, alone, both;
} loops;

/* What a block has found, in seconds. */
static struct {
	double pure, product, products, elapsed;
} found;

/* Makes products, broadcasts with products, products again, then broadcasts. */
static void block(int tests, double compute)
{
	double before = product(loops.products), after = before, none;
	found.products = found.elapsed = 0;
	if (compute > 0 || tests == EACH) {
		long work = compute > before ? compute / before + 0.5 : 1;
		found.elapsed = messages(loops.both, work, tests, &found.products);
		after = product(loops.products);
	}
	found.product = (before + after) / 2;
	found.pure = messages(loops.alone, 0, 0, &none);
}

static void measure(int blocks, int tests, double compute)
{
	a = malloc(sizeof *a * grain * grain);
	b = malloc(sizeof *b * grain * grain);
	c = malloc(sizeof *c * grain * grain);
	for (int i = 0; i < grain * grain; i++)
		a[i] = b[i] = i;
	buf = calloc(1, bytes);
	loops.products = 100000 / (grain * grain * grain) + 2;
	loops.alone = loops.both = BATCH;
	block(tests, compute);
	loops.products = fit(found.product);
	loops.alone = fit(found.pure);
	loops.both = fit(found.elapsed);
	for (int i = 0; i < blocks; i++) {
		block(tests, compute);
		if (rank == 0)
			printf("%.4f %.4f %.4f %.4f\n", found.pure * 1e6, found.product * 1e9, found.products, found.elapsed * 1e6);
	}
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
	if (argc != 4)
		MPI_Abort(MPI_COMM_WORLD, 2);
	seconds = atof(argv[1]);
	for (char *item = strtok(argv[3], ","); item; item = strtok(NULL, ",")) {
		int tests;
		double ns;
		if (sscanf(item, "%d:%d:%d:%lf", &bytes, &grain, &tests, &ns) != 4)
			MPI_Abort(MPI_COMM_WORLD, 2);
		measure(atoi(argv[2]), tests, ns * 1e-9);
	}
	MPI_Finalize();
	return 0;
}
