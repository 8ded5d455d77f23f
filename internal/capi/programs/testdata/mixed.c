// Half of a job whose other ranks are in Go: mixed/main.go does the same.
#include "program.h"

enum { SHORT = 3, MIDDLE = 1000, LONG = 100000 };

// exchange has each rank send to all others, with a length that takes each way of a message.
static void exchange(int n) {
	double *out = malloc(n * sizeof *out), *in = malloc(n * sizeof *in);
	for (int k = 1; k < size; k++) {
		int to = (rank + k) % size, from = (rank + size - k) % size;
		MPI_Status status;
		int count;
		for (int i = 0; i < n; i++)
			out[i] = rank + i;
		OK(MPI_Sendrecv(out, n, MPI_DOUBLE, to, k, in, n, MPI_DOUBLE, from, k, MPI_COMM_WORLD, &status));
		OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
		CHECK(count == n && status.MPI_SOURCE == from && status.MPI_TAG == k);
		CHECK(in[0] == from && in[n - 1] == from + n - 1);
	}
	free(out);
	free(in);
}

// column sends every other number of 2*MIDDLE to the next rank, which receives them in one piece.
static void column(void) {
	MPI_Datatype type;
	MPI_Request request;
	int numbers[2 * MIDDLE], received[MIDDLE], from = (rank + size - 1) % size;
	for (int i = 0; i < 2 * MIDDLE; i++)
		numbers[i] = i % 2 ? -1 : rank + i / 2;
	OK(MPI_Type_vector(MIDDLE, 1, 2, MPI_INT, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_Isend(numbers, 1, type, (rank + 1) % size, 0, MPI_COMM_WORLD, &request));
	OK(MPI_Recv(received, MIDDLE, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(received[0] == from && received[MIDDLE - 1] == from + MIDDLE - 1);
	OK(MPI_Type_free(&type));
}

static void collectives(MPI_Comm comm) {
	int me, all;
	OK(MPI_Comm_rank(comm, &me));
	OK(MPI_Comm_size(comm, &all));
	int *out = malloc(all * sizeof *out), *in = malloc(all * sizeof *in);
	for (int root = 0; root < all; root++) {
		int64_t word = me == root ? 1000 + root : 0;
		OK(MPI_Bcast(&word, 1, MPI_INT64_T, root, comm));
		CHECK(word == 1000 + root);
		OK(MPI_Gather(&me, 1, MPI_INT, in, 1, MPI_INT, root, comm));
		CHECK(me != root || in[all - 1] == all - 1);
	}
	double part = me + 0.5, sum = 0;
	OK(MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, comm));
	CHECK(sum == all * all / 2.0);
	unsigned bit = 1u << me, bits = 0;
	OK(MPI_Allreduce(&bit, &bits, 1, MPI_UNSIGNED, MPI_BOR, comm));
	CHECK(bits == (1u << all) - 1);
	for (int r = 0; r < all; r++)
		out[r] = 100 * me + r;
	OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm));
	for (int r = 0; r < all; r++)
		CHECK(in[r] == 100 * r + me);
	MPI_Request request;
	OK(MPI_Iallreduce(&me, out, 1, MPI_INT, MPI_MAX, comm, &request));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(out[0] == all - 1);
	OK(MPI_Barrier(comm));
	free(out);
	free(in);
}

// mismatch adds numbers that are of another type in Go.
static void mismatch(void) {
	double part = 1, sum;
	int class;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	int code = MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	OK(MPI_Error_class(code, &class));
	CHECK(class != MPI_SUCCESS);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv) {
	MPI_Comm half;
	join(MPI_THREAD_SINGLE);
	if (argc > 1) {
		mismatch();
	} else {
		exchange(SHORT);
		exchange(MIDDLE);
		exchange(LONG);
		column();
		collectives(MPI_COMM_WORLD);
		OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
		collectives(half);
		OK(MPI_Comm_free(&half));
	}
	printf("C: rank %d of %d\n", rank, size);
	OK(MPI_Finalize());
	return 0;
}
