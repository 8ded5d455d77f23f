/* What a job with --check refuses, and others do: memory that is received into twice, and integers that are received
   with another sign. The argument is the class of the errors, or nothing. */
#include "program.h"

static int class;

static void refuses(int rc) {
	int c = MPI_SUCCESS;
	if (rc) MPI_Error_class(rc, &c);
	CHECK(c == class);
}

static int waited(int rc, MPI_Request *q) { return rc ? rc : MPI_Wait(q, MPI_STATUS_IGNORE); }

int main(int argc, char **argv) {
	int in[16] = {0}, out[16] = {0}, counts[8], displs[8], one[8];
	unsigned unsigned_in[4];
	MPI_Datatype twice, types[8], apart;
	MPI_Request q = MPI_REQUEST_NULL;
	join(MPI_THREAD_SINGLE);
	CHECK(size <= 8);
	class = argc > 1 ? !strcmp(argv[1], "buffer") ? MPI_ERR_BUFFER : MPI_ERR_TYPE : MPI_SUCCESS;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Type_vector(2, 3, 2, MPI_INT, &twice));
	OK(MPI_Type_commit(&twice));
	OK(MPI_Type_vector(3, 2, 4, MPI_INT, &apart));
	OK(MPI_Type_commit(&apart));
	for (int i = 0; i < 8; i++) counts[i] = 2, displs[i] = i, one[i] = 1, types[i] = MPI_INT;

	/* what is sent may overlap, and what does not overlap may interleave */
	OK(MPI_Sendrecv(out, 1, twice, 0, 1, in, 1, apart, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	for (int i = 0; i < size; i++) displs[i] = 2 * (size - 1 - i);
	OK(MPI_Allgatherv(out, 2, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD));
	for (int i = 0; i < size; i++) displs[i] = i;

	if (class != MPI_ERR_TYPE) {
		refuses(MPI_Sendrecv(out, 6, MPI_INT, 0, 1, in, 1, twice, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
		if (!class) OK(MPI_Send(out, 6, MPI_INT, rank, 2, MPI_COMM_WORLD));
		refuses(MPI_Recv(in, 1, twice, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (!class) OK(MPI_Send(out, 6, MPI_INT, rank, 3, MPI_COMM_WORLD));
		refuses(waited(MPI_Irecv(in, 1, twice, rank, 3, MPI_COMM_WORLD, &q), &q));
		MPI_Request first, sending = MPI_REQUEST_NULL;
		OK(MPI_Irecv(in, 8, MPI_INT, rank, 4, MPI_COMM_WORLD, &first));
		if (!class) OK(MPI_Isend(out, 8, MPI_INT, rank, 5, MPI_COMM_WORLD, &sending));
		refuses(waited(MPI_Irecv(in + 7, 8, MPI_INT, rank, 5, MPI_COMM_WORLD, &q), &q));
		OK(MPI_Wait(&sending, MPI_STATUS_IGNORE));
		OK(MPI_Sendrecv(out, 8, MPI_INT, rank, 4, in + 8, 8, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE));
		OK(MPI_Wait(&first, MPI_STATUS_IGNORE));
		OK(MPI_Issend(in, 8, MPI_INT, rank, 6, MPI_COMM_WORLD, &sending));
		refuses(MPI_Recv(in, 8, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (class) OK(MPI_Recv(out, 8, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		OK(MPI_Wait(&sending, MPI_STATUS_IGNORE));
		refuses(MPI_Gatherv(out, 2, MPI_INT, in, counts, displs, MPI_INT, 0, MPI_COMM_SELF) ? MPI_ERR_OTHER
			: MPI_Allgatherv(out, 2, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD));
		refuses(waited(MPI_Iallgatherv(out, 2, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD, &q), &q));
		for (int i = 0; i < size; i++) displs[i] = 4 * i;
		refuses(MPI_Alltoallw(out, counts, displs, types, in, counts, displs, types, MPI_COMM_WORLD));
		refuses(MPI_Scatter(out, 6, MPI_INT, in, 1, twice, 0, MPI_COMM_SELF));
	}
	if (class != MPI_ERR_BUFFER) {
		refuses(MPI_Sendrecv(out, 4, MPI_INT, 0, 1, unsigned_in, 4, MPI_UNSIGNED, 0, 1, MPI_COMM_SELF,
			MPI_STATUS_IGNORE));
		refuses(MPI_Allgatherv(out, 1, MPI_INT, in, one, displs, MPI_UNSIGNED, MPI_COMM_WORLD));
	}
	OK(MPI_Type_free(&twice));
	OK(MPI_Type_free(&apart));
	OK(MPI_Finalize());
	return 0;
}
