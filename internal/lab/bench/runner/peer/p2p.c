/* The point-to-point benchmarks of pvasrun for an installed MPI: the same loops,
 * warm-ups and repetitions as p2p_rank.go, the same output, so that the numbers
 * can stand side by side.
 *
 *   p2p BENCHMARK BYTES:REPETITIONS,... SECONDS
 *
 * prints "bytes repetitions average minimum maximum": microseconds for one unit
 * of the benchmark, over blocks of the repetitions. */
#include "common.h"

enum { WINDOW = 64, TAG = 1, ACK = 2 };

static int bytes;
static char *out, *in;
static char acks[1024];
static MPI_Request *requests;

static void ping_pong(int n)
{
	if (rank == 0) {
		MPI_Send(out, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
		MPI_Recv(in, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(in, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
	}
}

static void ping_ping(int n)
{
	MPI_Request r;
	if (rank > 1)
		return;
	MPI_Isend(out, n, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &r);
	MPI_Recv(in, n, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The lower half of the ranks sends a window to the upper half. */
static void window(int n)
{
	MPI_Request r[WINDOW];
	int half = size / 2;
	if (rank >= 2 * half)
		return;
	for (int i = 0; i < WINDOW; i++)
		if (rank < half)
			MPI_Isend(out, n, MPI_BYTE, rank + half, TAG, MPI_COMM_WORLD, &r[i]);
		else
			MPI_Irecv(in, n, MPI_BYTE, rank - half, TAG, MPI_COMM_WORLD, &r[i]);
	MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
	if (rank < half)
		MPI_Recv(acks, 4, MPI_BYTE, rank + half, ACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(acks, 4, MPI_BYTE, rank - half, ACK, MPI_COMM_WORLD);
}

static void ring(int n)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	if (rank == 0) {
		MPI_Send(out, n, MPI_BYTE, right, TAG, MPI_COMM_WORLD);
		MPI_Recv(in, n, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(in, n, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(in, n, MPI_BYTE, right, TAG, MPI_COMM_WORLD);
	}
}

/* All other ranks send to rank 0. */
static void incast(int n)
{
	if (rank > 0) {
		MPI_Send(out, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < size; i++)
		MPI_Irecv(in + (size_t)n * (i - 1), n, MPI_BYTE, i, TAG, MPI_COMM_WORLD, &requests[i - 1]);
	MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
}

static const struct benchmark {
	const char *name;
	void (*step)(int);
	double units; /* in one step */
	int apart; /* each step is timed alone, after a barrier */
} *what, benchmarks[] = {
	{ "pingpong", ping_pong, 2 },
	{ "pingping", ping_ping, 1 },
	{ "bw", window, WINDOW },
	{ "mbw_mr", window, WINDOW },
	{ "ring", ring, 1 },
	{ "incast", incast, 1, 1 },
};

static void step(int i)
{
	(void)i;
	what->step(bytes);
}

int main(int argc, char **argv)
{
	start(&argc, &argv, 3);
	for (size_t k = 0; k < sizeof benchmarks / sizeof *benchmarks; k++)
		if (!strcmp(benchmarks[k].name, argv[1]))
			what = &benchmarks[k];
	if (!what)
		MPI_Abort(MPI_COMM_WORLD, 2);
	requests = malloc(sizeof *requests * size);
	for (char *item = strtok(argv[2], ","); item; item = strtok(NULL, ",")) {
		int reps;
		if (sscanf(item, "%d:%d", &bytes, &reps) != 2)
			MPI_Abort(MPI_COMM_WORLD, 2);
		out = calloc(1, bytes + 1);
		in = calloc(what->step == incast ? size : 1, bytes + 1);
		memset(out, 1, bytes + 1);
		timed_blocks(bytes, what->units, what->apart ? reps : BLOCKS, (struct pace){ reps, atof(argv[3]) });
		free(out);
		free(in);
	}
	MPI_Finalize();
	return 0;
}
