/* The benchmarks of data that does not lie in one piece, for an installed MPI: the
 * same loops, warm-ups and repetitions as layout_rank.go, the same output.
 *
 *   layout BENCHMARK BYTES:REPETITIONS,... SECONDS
 *
 * prints "bytes repetitions average minimum maximum": microseconds for one unit of
 * the benchmark, over blocks of the repetitions. */
#include "common.h"
#include <stddef.h>

enum {
	TAG = 1,
	COLUMNS = 4096, /* of the matrix of column */
	WIDTH = 66      /* of the grid of halo, with a column of its neighbours on either side */
};

struct record {
	int a;
	double b[3];
	char c[5];
};

static int bytes;
static char *mine;
static MPI_Datatype type = MPI_DATATYPE_NULL, *sends, *recvs;
static int count, *counts, *send_displs, *recv_displs;

/* resized replaces a type by one with another extent. */
static void resized(MPI_Datatype *t, MPI_Aint extent)
{
	MPI_Datatype old = *t;
	MPI_Type_create_resized(old, 0, extent, t);
	MPI_Type_free(&old);
	MPI_Type_commit(t);
}

static void *memory(size_t n)
{
	char *p = malloc(n);
	memset(p, 1, n);
	return p;
}

/* column: whole columns of a matrix of 4,096 columns, one after another. */
static void column_setup(void)
{
	int elements = bytes / 8, rows = elements < COLUMNS ? elements : COLUMNS;
	count = (elements + COLUMNS - 1) / COLUMNS;
	mine = memory((size_t)rows * COLUMNS * 8);
	MPI_Type_vector(rows, 1, COLUMNS, MPI_DOUBLE, &type);
	resized(&type, 8);
}

static void struct_setup(void)
{
	int lengths[3] = { 1, 3, 5 };
	MPI_Aint displs[3] = { offsetof(struct record, a), offsetof(struct record, b), offsetof(struct record, c) };
	MPI_Datatype types[3] = { MPI_INT, MPI_DOUBLE, MPI_CHAR };
	count = bytes / 33;
	mine = memory((size_t)(count + 1) * sizeof(struct record));
	MPI_Type_create_struct(3, lengths, displs, types, &type);
	resized(&type, sizeof(struct record));
}

static void ping_pong(void)
{
	if (rank == 0) {
		MPI_Send(mine, count, type, 1, TAG, MPI_COMM_WORLD);
		MPI_Recv(mine, count, type, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(mine, count, type, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(mine, count, type, 0, TAG, MPI_COMM_WORLD);
	}
}

/* halo: each rank has rows of a grid, and sends its outer columns to both neighbours. */
static void halo_setup(void)
{
	mine = memory((size_t)bytes * WIDTH + 8);
	MPI_Type_vector(bytes / 8, 1, WIDTH, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
}

static void halo(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	double *grid = (double *)mine;
	MPI_Sendrecv(grid + WIDTH - 2, 1, type, right, TAG, grid, 1, type, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(grid + 1, 1, type, left, TAG, grid + WIDTH - 1, 1, type, right, TAG, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
}

/* side is that of the largest square of no more than so many elements. */
static int side(int elements)
{
	int n = 1;
	while ((n + 1) * (n + 1) <= elements)
		n++;
	return n;
}

/* transpose: a matrix whose rows are spread over the ranks becomes its transpose. */
static void transpose_setup(void)
{
	int rows = side(bytes / 8), width = rows * size;
	MPI_Datatype line;
	mine = memory((size_t)2 * rows * width * 8);
	MPI_Type_vector(rows, rows, width, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	MPI_Type_vector(rows, 1, width, MPI_DOUBLE, &line);
	resized(&line, 8);
	counts = malloc(size * sizeof *counts);
	send_displs = malloc(size * sizeof *send_displs);
	recv_displs = malloc(size * sizeof *recv_displs);
	sends = malloc(size * sizeof *sends);
	recvs = malloc(size * sizeof *recvs);
	for (int i = 0; i < size; i++) {
		counts[i] = 1;
		send_displs[i] = recv_displs[i] = i * rows * 8;
		sends[i] = type;
		MPI_Type_contiguous(rows, line, &recvs[i]);
		MPI_Type_commit(&recvs[i]);
	}
	MPI_Type_free(&line);
	count = rows * width;
}

static void transpose(void)
{
	MPI_Alltoallw(mine, counts, send_displs, sends,
		mine + (size_t)count * 8, counts, recv_displs, recvs, MPI_COMM_WORLD);
}

static const struct benchmark {
	const char *name;
	void (*setup)(void), (*step)(void);
	double units; /* in one step */
} *what, benchmarks[] = {
	{ "column", column_setup, ping_pong, 2 },
	{ "struct", struct_setup, ping_pong, 2 },
	{ "halo", halo_setup, halo, 1 },
	{ "transpose", transpose_setup, transpose, 1 },
};

static void step(int i)
{
	(void)i;
	what->step();
}

static void clean_up(void)
{
	MPI_Type_free(&type);
	for (int i = 0; recvs && i < size; i++)
		MPI_Type_free(&recvs[i]);
	free(counts);
	free(send_displs);
	free(recv_displs);
	free(sends);
	free(recvs);
	counts = send_displs = recv_displs = NULL;
	sends = recvs = NULL;
	free(mine);
}

int main(int argc, char **argv)
{
	start(&argc, &argv, 3);
	for (size_t k = 0; k < sizeof benchmarks / sizeof *benchmarks; k++)
		if (!strcmp(benchmarks[k].name, argv[1]))
			what = &benchmarks[k];
	if (!what)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (char *item = strtok(argv[2], ","); item; item = strtok(NULL, ",")) {
		int reps;
		if (sscanf(item, "%d:%d", &bytes, &reps) != 2)
			MPI_Abort(MPI_COMM_WORLD, 2);
		what->setup();
		timed_blocks(bytes, what->units, BLOCKS, (struct pace){ reps, atof(argv[3]) });
		clean_up();
	}
	MPI_Finalize();
	return 0;
}
