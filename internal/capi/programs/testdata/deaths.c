/* Ends in the way that the argument says; the last rank does, the others wait for it. */
#include "program.h"
#include <signal.h>
#include <unistd.h>

static volatile int zero;

static int fault(int *where) { return *where; }

int main(int argc, char **argv) {
	const char *how = argv[1];
	CHECK(argc == 2);
	if (strcmp(how, "early") == 0)
		return fault(NULL);
	if (strcmp(how, "before") == 0)
		return MPI_Barrier(MPI_COMM_WORLD);
	join(MPI_THREAD_SINGLE);
	ring();
	if (strcmp(how, "late") == 0) {
		MPI_Finalize();
		return rank < size - 1 ? 0 : MPI_Barrier(MPI_COMM_WORLD);
	}
	if (strcmp(how, "scatter") == 0) {
		int in[2], out[2 * 16];
		MPI_Scatter(out, 2, MPI_INT, in, rank == size - 1 ? 1 : 2, MPI_INT, size - 1, MPI_COMM_WORLD);
	}
	if (rank == size - 1) {
		printf("printed before %s\n", how);
		if (strcmp(how, "segv") == 0)
			return fault(NULL);
		if (strcmp(how, "fpe") == 0)
			return 1000 / zero;
		if (strcmp(how, "pipe") == 0) {
			int ends[2];
			CHECK(pipe(ends) == 0);
			close(ends[0]);
			CHECK(write(ends[1], "x", 1) == 1);
		}
		if (strcmp(how, "assert") == 0)
			abort();
		if (strcmp(how, "locked") == 0) {
			flockfile(stdout);
			MPI_Abort(MPI_COMM_WORLD, 8);
		}
		if (strncmp(how, "MPI_Abort", 9) == 0)
			MPI_Abort(MPI_COMM_WORLD, how[9] ? atoi(how + 9) : 5);
		if (strcmp(how, "null") == 0)
			MPI_Waitall(3, NULL, MPI_STATUSES_IGNORE);
		if (strcmp(how, "exit") == 0)
			exit(6);
		if (strcmp(how, "_exit") == 0)
			_exit(7);
		if (strcmp(how, "exit 0") == 0)
			exit(0);
		if (strcmp(how, "library") == 0) /* dies there because of a wrong address */
			MPI_Send((void *)4096, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Recv(&zero, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
