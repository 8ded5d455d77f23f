/* What all programs need. A failed check ends the job with a message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			exit(77); \
		} \
	} while (0)

#define OK(call) CHECK((call) == MPI_SUCCESS)

static int rank, size;

/* join initialises MPI with a thread level, and rank and size. */
static inline void join(int level) {
	int provided = -1;
	OK(MPI_Init_thread(NULL, NULL, level, &provided));
	CHECK(provided == level);
	OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
	CHECK(rank >= 0 && rank < size);
}

/* ring passes a number around, so that each rank has heard of all. */
static inline void ring(void) {
	int token = 0, next = (rank + 1) % size, last = (rank + size - 1) % size;
	MPI_Status status;
	if (rank > 0) {
		OK(MPI_Recv(&token, 1, MPI_INT, last, 7, MPI_COMM_WORLD, &status));
		CHECK(status.MPI_SOURCE == last && status.MPI_TAG == 7);
		CHECK(token == rank);
	}
	token++;
	OK(MPI_Send(&token, 1, MPI_INT, next, 7, MPI_COMM_WORLD));
	if (rank == 0) {
		OK(MPI_Recv(&token, 1, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(token == size);
	}
}
