/* Ranks that wait for one another: a debugger is to find where. */
#include <mpi.h>

static void my_exchange(int peer)
{
	int secret = 4711, x;
	MPI_Recv(&x, 1, MPI_INT, peer, secret, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	my_exchange(1 - rank);
	MPI_Finalize();
	return 0;
}
