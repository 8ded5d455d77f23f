/* A request is left when MPI ends. */
#include "program.h"

int main(void) {
	MPI_Request request;
	join(MPI_THREAD_SINGLE);
	OK(MPI_Irecv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request));
	OK(MPI_Finalize());
	return 0;
}
