/* What the benchmarks in C have in common: see pace.go. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* step does one repetition; each program has its own. */
static void step(int i);

static void start(int *argc, char ***argv, int arguments)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (*argc < arguments + 1)
		MPI_Abort(MPI_COMM_WORLD, 2);
}

/* pace bounds the repetitions at one size; limit is that of all of them, in seconds. */
struct pace {
	int repetitions;
	double limit;
};

static double positive(double t) { return t > 1e-9 ? t : 1e-9; }

static int more(struct pace p, int done, double spent)
{
	double n = (p.limit - spent) / positive(spent) * done;
	if (n > done)
		n = done;
	if (n > p.repetitions - done)
		n = p.repetitions - done;
	return n > 0 ? (int)n : 0;
}

#define WARM_UP_TIME 20e-3 /* seconds */

static inline int warm_up(struct pace p)
{
	struct pace tenth = { (p.repetitions + 9) / 10, p.limit / 10 };
	int plan[2] = { 1, 0 }, done = 0; /* how many to make now, and afterwards */
	double spent = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	while (plan[0] > 0) {
		double t = MPI_Wtime();
		for (int i = 0; i < plan[0]; i++)
			step(done++);
		t = MPI_Wtime() - t;
		spent += t;
		double fits = p.limit / positive(t) * plan[0];
		plan[1] = fits < p.repetitions ? (int)fits : p.repetitions;
		if (plan[1] < 1)
			plan[1] = 1;
		plan[0] = more(tenth, done, spent);
		if (plan[0] == 0 && spent < WARM_UP_TIME && spent < tenth.limit)
			plan[0] = done;
		MPI_Bcast(plan, 2, MPI_INT, 0, MPI_COMM_WORLD);
	}
	return plan[1];
}

#define BLOCKS 10 /* of the repetitions, as a rule */

/* timed_blocks warms up, times the steps in so many blocks at most, and prints the line for so many bytes: the
 * time of a unit, of which a step has so many. */
static inline void timed_blocks(int bytes, double units, int blocks, struct pace limits)
{
	double sum = 0, least = 1e30, most = 0;
	int reps = warm_up(limits), per;
	blocks = reps < blocks ? reps : blocks;
	per = reps / blocks;
	for (int b = 0; b < blocks; b++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double t = MPI_Wtime();
		for (int i = 0; i < per; i++)
			step(i);
		t = (MPI_Wtime() - t) * 1e6 / per / units;
		sum += t;
		least = t < least ? t : least;
		most = t > most ? t : most;
	}
	if (rank == 0) {
		printf("%d %d %.4f %.4f %.4f\n", bytes, blocks * per, sum / blocks, least, most);
		fflush(stdout);
	}
}
