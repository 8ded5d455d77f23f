/* The last rank dies in the middle of a step. The others find the last state that is whole in what it has kept, and go
   on from there. Run with --survive. */
#include "program.h"
#include <mpi-ext.h>
#include <signal.h>

enum { CELLS = 3000, STEPS = 40 };

static int last;

static int class_of(int code) {
	int class = -1;
	OK(MPI_Error_class(code, &class));
	return class;
}

/* advance has each cell of a state become what it is in the next one. */
static void advance(const double *now, double *next, int cells) {
	for (int i = 0; i < cells; i++) next[i] = now[i] * 0.75 + i;
}

/* work does steps on two halves. The version says which one is whole. */
static void work(double *state, int from, int steps, const char *name) {
	for (int v = from; v < steps; v++) {
		const double *now = state + v % 2 * CELLS;
		double *next = state + (v + 1) % 2 * CELLS;
		advance(now, next, rank == last && v == STEPS / 2 ? CELLS / 2 : CELLS);
		if (rank == last && v == STEPS / 2) raise(SIGKILL);
		OK(MPIX_Keep_version(MPI_COMM_WORLD, name, v + 1));
	}
}

/* refused is what cannot be kept, or is not. */
static void refused(void) {
	double *at;
	MPI_Aint bytes;
	MPI_Count version;
	CHECK(class_of(MPIX_Keep(MPI_COMM_WORLD, "mine", 8, &at)) == MPI_ERR_ARG); /* kept already */
	CHECK(class_of(MPIX_Keep(MPI_COMM_WORLD, "", 8, &at)) == MPI_ERR_ARG);
	CHECK(class_of(MPIX_Keep(MPI_COMM_WORLD, "less", -1, &at)) == MPI_ERR_SIZE);
	CHECK(class_of(MPIX_Keep_version(MPI_COMM_WORLD, "other", 1)) == MPI_ERR_NAME);
	CHECK(class_of(MPIX_Keep_free(MPI_COMM_WORLD, "other")) == MPI_ERR_NAME);
	CHECK(class_of(MPIX_Kept(MPI_COMM_WORLD, last, "other", &bytes, &at, &version)) == MPI_ERR_NAME);
	CHECK(class_of(MPIX_Kept(MPI_COMM_WORLD, rank, "mine", &bytes, &at, &version)) == MPI_ERR_ARG); /* it lives */
	CHECK(class_of(MPIX_Kept(MPI_COMM_WORLD, last + 1, "mine", &bytes, &at, &version)) == MPI_ERR_RANK);
}

int main(void) {
	int x;
	double *mine, *kept, *heir;
	MPI_Aint bytes;
	MPI_Count version;
	join(MPI_THREAD_SINGLE);
	last = size - 1;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPIX_Keep(MPI_COMM_WORLD, "mine", 2 * CELLS * sizeof *mine, &mine));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (rank == last)
		for (int r = 0; r < last; r++)
			OK(MPI_Recv(&x, 1, MPI_INT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	else
		OK(MPI_Send(&rank, 1, MPI_INT, last, 1, MPI_COMM_WORLD));
	work(mine, 0, STEPS, "mine");
	CHECK(class_of(MPI_Recv(&x, 1, MPI_INT, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_PROC_FAILED);
	OK(MPIX_Kept(MPI_COMM_WORLD, last, "mine", &bytes, &kept, &version));
	CHECK(version == STEPS / 2 && bytes == (MPI_Aint)(2 * CELLS * sizeof *mine));
	refused();
	/* It is read by all. So each goes on in memory of its own. */
	OK(MPIX_Keep(MPI_COMM_WORLD, "heir", bytes, &heir));
	memcpy(heir + version % 2 * CELLS, kept + version % 2 * CELLS, CELLS * sizeof *heir);
	OK(MPIX_Keep_version(MPI_COMM_WORLD, "heir", version));
	work(heir, (int)version, STEPS, "heir");
	CHECK(memcmp(heir + STEPS % 2 * CELLS, mine + STEPS % 2 * CELLS, CELLS * sizeof *heir) == 0);
	OK(MPIX_Keep_free(MPI_COMM_WORLD, "heir"));
	OK(MPIX_Keep_free(MPI_COMM_WORLD, "mine"));
	OK(MPI_Finalize());
	if (rank == 0) puts("survived");
	return 0;
}
