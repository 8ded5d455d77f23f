/* All ranks wait for a message that nobody sends. */
#include "program.h"

int main(void) {
	join(MPI_THREAD_SINGLE);
	ring();
	MPI_Recv(&rank, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}
