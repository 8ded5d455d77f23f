/* Rank 0 forgets two partitions of its message. */
#include <mpi.h>
int main(int c, char **v) {
	int rank, x[4] = {0}; MPI_Request r; MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank) MPI_Precv_init(x, 4, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	else MPI_Psend_init(x, 4, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	if (!rank) {
		MPI_Pready(0, r); MPI_Pready(3, r);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Request_free(&r); MPI_Finalize(); return 0;
}
