/* The least time that a call takes, in ns, among many rounds: for comparing MPI libraries.
   mpicc -O2 examples/c/calls.c -o calls && pvasrun -n 2 --bind core ./calls
   Ranks 0 and 1 exchange messages of 8 bytes. An argument is the number of rounds. */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 64, COLLECTIVES = 10 };
enum { IRECV, ISEND, SENT, RECEIVED, BARRIER, ALLREDUCE, CALLS };

static const char *names[CALLS] = {
	"MPI_Irecv", "MPI_Isend", "MPI_Waitall, per complete send", "MPI_Waitall, per complete receive",
	"MPI_Barrier", "MPI_Allreduce",
};
static double least[CALLS];

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* ended keeps the time since a call began, if it is the least of a call of this kind, and returns
   the time. */
static double ended(int call, int calls, double began) {
	double at = now(), each = (at - began) / calls;
	if (least[call] == 0 || each < least[call])
		least[call] = each;
	return at;
}

static void one_round(int other) {
	double in[BATCH], out[BATCH] = {0}, sum;
	MPI_Request recvs[BATCH], sends[BATCH];
	double at;

	MPI_Barrier(MPI_COMM_WORLD);
	at = now();
	for (int i = 0; i < BATCH; i++)
		MPI_Irecv(&in[i], 1, MPI_DOUBLE, other, i, MPI_COMM_WORLD, &recvs[i]);
	ended(IRECV, BATCH, at);
	MPI_Barrier(MPI_COMM_WORLD); /* all receives wait for their messages */
	at = now();
	for (int i = 0; i < BATCH; i++)
		MPI_Isend(&out[i], 1, MPI_DOUBLE, other, i, MPI_COMM_WORLD, &sends[i]);
	at = ended(ISEND, BATCH, at);
	MPI_Waitall(BATCH, sends, MPI_STATUSES_IGNORE);
	ended(SENT, BATCH, at);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int done = 0; !done;) /* all messages are there */
		MPI_Request_get_status(recvs[BATCH - 1], &done, MPI_STATUS_IGNORE);
	at = now();
	MPI_Waitall(BATCH, recvs, MPI_STATUSES_IGNORE);
	at = ended(RECEIVED, BATCH, at);
	for (int i = 0; i < COLLECTIVES; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	at = ended(BARRIER, COLLECTIVES, at);
	for (int i = 0; i < COLLECTIVES; i++)
		MPI_Allreduce(&out[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	ended(ALLREDUCE, COLLECTIVES, at);
}

int main(int argc, char **argv) {
	int rounds = argc > 1 ? atoi(argv[1]) : 2000, rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2) {
		fprintf(stderr, "calls: %d ranks: run it with 2\n", size);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int i = 0; i < rounds; i++)
		one_round(1 - rank);
	for (int i = 0; rank == 0 && i < CALLS; i++)
		printf("%-34s %7.1f ns\n", names[i], least[i]);
	MPI_Finalize();
	return 0;
}
