/* Ranks wait for messages that nobody sends, each in another call. */
#include "program.h"

int main(void) {
	join(MPI_THREAD_SINGLE);
	ring();
	puts("up");
	fflush(stdout);
	int next = (rank + 1) % size;
	MPI_Request request;
	switch (rank) {
	case 0:
		MPI_Recv(&rank, 1, MPI_INT, next, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Irecv(&rank, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &request);
		MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
		break;
	case 2:
		MPI_Probe(next, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_Finalize();
	}
	return 0;
}
