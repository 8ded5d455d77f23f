/* Each rank receives one of two messages of the rank before. */
#include "program.h"

int main(void) {
	int out = 1, in = 0, next, last;
	join(MPI_THREAD_SINGLE);
	next = (rank + 1) % size, last = (rank + size - 1) % size;
	OK(MPI_Send(&out, 1, MPI_INT, next, 7, MPI_COMM_WORLD));
	OK(MPI_Send(&out, 1, MPI_INT, next, 8, MPI_COMM_WORLD));
	OK(MPI_Recv(&in, 1, MPI_INT, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Finalize());
	return 0;
}
