// A call that panics in Go: see TestPanics.
#include "program.h"

static void allocate(void) {
	void *memory;
	MPI_Alloc_mem(16, MPI_INFO_NULL, &memory);
}

static void call_back(void *in, void *inout, int *n, MPI_Datatype *t) { allocate(); }

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	if (argc == 1) {
		allocate();
	} else { // from within a function that Go has called
		MPI_Op op;
		int a = 1, b = 2;
		MPI_Op_create(call_back, 1, &op);
		MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
	}
	return 0;
}
