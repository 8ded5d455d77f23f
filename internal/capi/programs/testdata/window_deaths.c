/* The last rank ends within an epoch, in the way that the argument says. The others get an error that names it. */
#include "program.h"
#include <signal.h>
#include <unistd.h>

static void refused(int code) {
	int class, n;
	char text[MPI_MAX_ERROR_STRING];
	CHECK(code != MPI_SUCCESS);
	OK(MPI_Error_class(code, &class));
	OK(MPI_Error_string(code, text, &n));
	CHECK(class == MPI_ERR_PROC_ABORTED);
	printf("rank %d is told\n", rank);
	fflush(stdout);
	_exit(3);
}

int main(int argc, char **argv) {
	const char *how = argv[1];
	int *mine, last, ready = 1, x = 0;
	MPI_Win w;
	MPI_Group all, others;
	CHECK(argc == 2);
	signal(SIGTERM, SIG_IGN); /* by which pvasrun ends the others */
	join(MPI_THREAD_SINGLE);
	last = size - 1;
	OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	OK(MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_incl(all, 1, &last, &others));
	if (rank == last) {
		if (strcmp(how, "exclusive") == 0)
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
		else if (strcmp(how, "shared") == 0)
			OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w));
		else if (strcmp(how, "all") == 0) {
			OK(MPI_Win_lock_all(0, w));
			OK(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
		}
		for (int r = 0; r < last; r++)
			OK(MPI_Send(&ready, 1, MPI_INT, r, 1, MPI_COMM_WORLD));
		for (int r = 0; r < last; r++) /* some wait already, others do not yet */
			OK(MPI_Recv(&ready, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		kill(getpid(), SIGKILL);
	}
	OK(MPI_Recv(&ready, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Send(&ready, 1, MPI_INT, last, 2, MPI_COMM_WORLD));
	if (strcmp(how, "fence") == 0)
		refused(MPI_Win_fence(0, w));
	if (strcmp(how, "start") == 0)
		refused(MPI_Win_start(others, 0, w));
	if (strcmp(how, "wait") == 0) {
		OK(MPI_Win_post(others, 0, w));
		refused(MPI_Win_wait(w));
	}
	if (strcmp(how, "free") == 0)
		refused(MPI_Win_free(&w));
	if (strcmp(how, "exclusive") == 0 && rank % 2) { /* an operation waits for the lock */
		OK(MPI_Win_lock_all(0, w));
		refused(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
	}
	refused(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
	return 1;
}
