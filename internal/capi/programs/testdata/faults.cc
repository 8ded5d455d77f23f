// Rank 1 throws what nobody catches.
#include <mpi.h>
#include <stdexcept>

__attribute__((noinline)) static void solve(int rank) {
	if (rank == 1)
		throw std::runtime_error("no solution"); // the end
}

int main(int argc, char **argv) {
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	solve(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
