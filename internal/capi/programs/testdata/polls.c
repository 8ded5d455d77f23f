/* Ranks that ask for messages for ever, which nobody sends. */
#include <mpi.h>
int main(int c, char **v) {
	int rank, x[4], done = 0; MPI_Request r[3]; MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3; i++) MPI_Irecv(x + i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, r + i);
	if (rank) while (!done) MPI_Test(r, &done, MPI_STATUS_IGNORE);
	else while (!done) { int n, at[3]; MPI_Testsome(3, r, &n, at, MPI_STATUSES_IGNORE); }
	MPI_Finalize(); return 0;
}
