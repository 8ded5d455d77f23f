/* Ranks that ask for messages for ever, which nobody sends. With an argument rank 1 asks for a barrier. */
#include <mpi.h>
int main(int c, char **v) {
	int rank, x[4], done = 0, barrier = c > 1; MPI_Request r[3], b; MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3; i++) MPI_Irecv(x + i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, r + i);
	if (rank && !barrier) while (!done) MPI_Test(r, &done, MPI_STATUS_IGNORE);
	if (!rank) while (!done) { int n, at[3]; MPI_Testsome(3, r, &n, at, MPI_STATUSES_IGNORE); }
	if (rank) {
		MPI_Ibarrier(MPI_COMM_WORLD, &b);
		while (!done) MPI_Test(&b, &done, MPI_STATUS_IGNORE);
	}
	MPI_Finalize(); return 0;
}
