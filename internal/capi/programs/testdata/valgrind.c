/* Ranks that send one another messages. With an argument each writes behind its memory, and leaves it. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size, sum, from;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	volatile char *block = malloc(100000);
	for (int i = 0; i < 100000; i++)
		block[i] = (char)i;
	for (int i = 0; i < 20; i++) {
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &from, 1, MPI_INT, (rank + size - 1) % size, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Bcast((void *)block, 100000, MPI_CHAR, i % size, MPI_COMM_WORLD);
	}
	if (argc > 1)
		block[100000] = (char)sum;
	free((void *)block);
	MPI_Finalize();
	return 0;
}
