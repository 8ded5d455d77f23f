/* Calls that allocate in Go until its heap is collected many times, from C stacks of all
   depths, with computation between. */
#include "program.h"

static double work(int n) {
	double x = 1;
	for (int i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	return x;
}

static void make(int n) {
	volatile char frame[512];
	int lengths[200], places[200];
	MPI_Datatype type;
	memset((char *)frame, n, sizeof frame);
	if (n > 0) {
		make(n - 1);
		return;
	}
	for (int i = 0; i < 200; i++) {
		lengths[i] = 1 + i % 3;
		places[i] = 7 * i;
	}
	OK(MPI_Type_indexed(200, lengths, places, MPI_DOUBLE, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_Type_free(&type));
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	for (int i = 0; i < 3000; i++) {
		make(i % 200);
		if (i % 100 == 0) {
			CHECK(work(100000) > 1);
			ring();
		}
	}
	OK(MPI_Finalize());
	return 0;
}
