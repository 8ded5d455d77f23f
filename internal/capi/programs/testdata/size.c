// Rank 0 says how many ranks there are. As a library it does so in go, and sum is a call of a program that has
// initialised MPI.
#include <mpi.h>
#include <stdio.h>

int sum(void)
{
	int rank, all = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

void go(void)
{
	int rank, size, all;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	all = sum();
	if (rank == 0)
		printf("size %d sum %d\n", size, all);
	MPI_Finalize();
}

#ifndef LIBRARY
int main(void)
{
	go();
	return 0;
}
#endif
