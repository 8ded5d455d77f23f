// Ranks send from where the result has what they send.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, bad;

static void is(const char *call, int got, int want) {
	if (got != want) {
		printf("%s at rank %d: %d, not %d\n", call, rank, got, want);
		bad = 1;
	}
}

int main(void) {
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int *all = calloc(size, sizeof *all), *counts = calloc(size, sizeof *counts);
	int *displs = calloc(size, sizeof *displs);
	for (int i = 0; i < size; i++)
		counts[i] = 1, displs[i] = size - 1 - i;

	all[rank] = rank + 1;
	MPI_Allgather(&all[rank], 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		is("MPI_Allgather", all[i], i + 1);

	all[displs[rank]] = rank + 10;
	MPI_Allgatherv(&all[displs[rank]], 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		is("MPI_Allgatherv", all[displs[i]], i + 10);

	all[rank] = rank + 20;
	MPI_Gather(&all[rank], 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
	for (int i = 0; i < size && rank == 1; i++)
		is("MPI_Gather", all[i], i + 20);
	MPI_Scatter(all, 1, MPI_INT, &all[rank], 1, MPI_INT, 1, MPI_COMM_WORLD);
	is("MPI_Scatter", all[rank], rank + 20);

	int sum = rank + 1;
	MPI_Allreduce(&sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	is("MPI_Allreduce", sum, size * (size + 1) / 2);
	MPI_Reduce(&sum, &sum, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
	is("MPI_Reduce", sum, size * (size + 1) / 2);
	sum = rank + 1;
	MPI_Scan(&sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	is("MPI_Scan", sum, (rank + 1) * (rank + 2) / 2);
	MPI_Finalize();
	return bad;
}
