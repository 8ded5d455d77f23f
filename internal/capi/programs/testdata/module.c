/* A shared library that calls MPI. */
#include "program.h"

int run(void) {
	join(MPI_THREAD_SINGLE);
	ring();
	return MPI_Finalize();
}
