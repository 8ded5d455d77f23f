// A program in C++ that calls MPI as C does, but for an operator of the removed interface.
#include <mpi.h>

#include <cstdio>

static void add(const void *in, void *inout, int n, const MPI::Datatype &type) {
	if (MPI_Datatype(type) != MPI_INT)
		n = 0;
	for (int i = 0; i < n; i++)
		static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI::Op op;
	op.Init(add, true);
	int one = rank + 1, sum = 0;
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_Op(op), MPI_COMM_WORLD);
	if (sum != size * (size + 1) / 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI::Datatype pair;
	MPI_Datatype made;
	MPI_Type_contiguous(2, MPI_INT, &made);
	pair = made;
	pair.Free();
	if (MPI_Datatype(pair) != MPI_DATATYPE_NULL)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (rank == 0)
		std::puts("all right");
	MPI_Finalize();
}
