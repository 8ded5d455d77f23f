/* Exchanges messages until it is killed. Each rank says its process once it has begun. */
#include "program.h"
#include <unistd.h>

int main(void) {
	join(MPI_THREAD_SINGLE);
	int in[64], out[64];
	char big[2][200000] = {{0}};
	CHECK(size <= 64);
	for (int lap = 0;; lap++) {
		ring();
		OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
		OK(MPI_Sendrecv(big[0], sizeof big[0], MPI_BYTE, (rank + 1) % size, 3, big[1], sizeof big[1], MPI_BYTE,
			(rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (lap == 0) {
			printf("%d\n", getpid());
			fflush(stdout);
		}
	}
}
