// Rank 1 throws what nobody catches.
#include <mpi.h>
#include <stdexcept>

__attribute__((always_inline)) static inline void give_up() {
	throw std::runtime_error("no solution"); // the end
}

template <class T> __attribute__((noinline)) static void solve(T rank) {
	if (rank == 1)
		give_up(); // the way there
}

int main(int argc, char **argv) {
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	solve(rank); // the beginning
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
