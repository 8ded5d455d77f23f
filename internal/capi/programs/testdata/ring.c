/* Messages around a ring, and calls from deep stacks. */
#include "program.h"

static int deep(int n) {
	volatile unsigned char frame[8192];
	memset((void *)frame, n, sizeof frame);
	if (n == 0) {
		ring();
		return frame[100];
	}
	return deep(n - 1) + frame[200] - n;
}

int main(int argc, char **argv) {
	int flag = -1, length;
	char name[MPI_MAX_PROCESSOR_NAME];
	OK(MPI_Initialized(&flag));
	CHECK(flag == 0);
	OK(MPI_Init(&argc, &argv));
	OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
	OK(MPI_Get_processor_name(name, &length));
	CHECK(length > 0 && length == (int)strlen(name));
	for (int i = 0; i < 100; i++)
		ring();
	CHECK(deep(200) == 0);
	OK(MPI_Is_thread_main(&flag));
	CHECK(flag == 1);
	CHECK(MPI_Wtime() > 0 && MPI_Wtick() > 0);
	OK(MPI_Finalize());
	OK(MPI_Finalized(&flag));
	CHECK(flag == 1);
	printf("rank %d of %d\n", rank, size);
	return 0;
}
