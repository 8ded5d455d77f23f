/* Rank 1 leaves out one call of the others and goes to MPI_Finalize; "exit": it ends without that. */
#include "program.h"

int main(int argc, char **argv) {
	const char *call = argv[1];
	double in = 1, out[8];
	MPI_Request request;
	MPI_Comm twin;
	join(MPI_THREAD_SINGLE);
	if (rank == 1) {
		if (!strcmp(call, "exit"))
			exit(0);
	} else if (!strcmp(call, "barrier")) {
		OK(MPI_Barrier(MPI_COMM_WORLD));
	} else if (!strcmp(call, "bcast")) {
		OK(MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
	} else if (!strcmp(call, "ibcast")) {
		OK(MPI_Ibcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request));
		OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	} else if (!strcmp(call, "alltoall")) {
		OK(MPI_Alltoall(out, 1, MPI_DOUBLE, out + 4, 1, MPI_DOUBLE, MPI_COMM_WORLD));
	} else if (!strcmp(call, "dup")) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
	} else if (!strcmp(call, "recv")) {
		OK(MPI_Recv(&in, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	}
	return MPI_Finalize();
}
