#include <mpi.h>

int sum_of_ranks(void);

int main(int argc, char **argv) {
	int size, sum;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	sum = sum_of_ranks();
	MPI_Finalize();
	return sum == size * (size - 1) / 2 && size == 3 ? 0 : 1;
}
