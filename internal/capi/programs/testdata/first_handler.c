/* The error handler that a program begins with is that of --initial-errhandler; the argument names it. */
#include "program.h"

int main(int argc, char **argv) {
	char name[64] = "";
	int flag = 0;
	MPI_Errhandler handler;
	CHECK(argc == 2);
	join(MPI_THREAD_SINGLE);
	OK(MPI_Info_get(MPI_INFO_ENV, "mpi_initial_errhandler", sizeof name - 1, name, &flag));
	CHECK(flag && strcmp(name, argv[1]) == 0);
	OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler));
	CHECK(handler == (strcmp(name, "mpi_errors_return") == 0 ? MPI_ERRORS_RETURN :
		strcmp(name, "mpi_errors_abort") == 0 ? MPI_ERRORS_ABORT : MPI_ERRORS_ARE_FATAL));
	if (handler == MPI_ERRORS_RETURN) CHECK(MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
	OK(MPI_Finalize());
	return 0;
}
