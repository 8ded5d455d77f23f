/* Ranks make windows of different kinds: all of them get an error that says so. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	static long memory[8];
	int rank, error, length, all;
	char text[MPI_MAX_ERROR_STRING];
	void *base;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(argv[1 + (rank > 0)], "create") == 0)
		error = MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	else if (strcmp(argv[1 + (rank > 0)], "dynamic") == 0)
		error = MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	else if (strcmp(argv[1 + (rank > 0)], "shared") == 0)
		error = MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	else
		error = MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Error_string(error, text, &length);
	error = error != MPI_SUCCESS && strstr(text, "another kind") && strstr(text, "all ranks make the same call");
	if (!error)
		printf("rank %d: %s\n", rank, text);
	MPI_Allreduce(&error, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (rank == 0 && all)
		puts("refused");
	MPI_Finalize();
	return 0;
}
