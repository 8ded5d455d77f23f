#include <mpi.h>

// Each of two ranks asks for a message of the other one that it never sends.
int main(int argc, char **argv)
{
	int rank, number, done = 0;
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Irecv(&number, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &r);
	while (!done)
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
