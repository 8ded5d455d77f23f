/* The root of a gather has too little room for each block. It gets an error, and the others may. Then all reduce. */
#include "program.h"

int main(int argc, char **argv) {
	int mine[10] = {0}, all[10 * 16], one = 1, sum = 0;
	join(MPI_THREAD_SINGLE);
	CHECK(size <= 16);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	int rc = MPI_Gather(mine, 10, MPI_INT, all, rank ? 10 : 1, MPI_INT, 0, MPI_COMM_WORLD);
	CHECK(rank || rc);
	OK(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
	if (rank == 0) printf("sum %d\n", sum);
	OK(MPI_Finalize());
	return 0;
}
