/* A request that stands twice in an array is complete once. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int in = 0, out = 7, n = 0, indices[3];
	MPI_Request requests[3];
	MPI_Status statuses[3];

	MPI_Init(&argc, &argv);
	MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
	requests[1] = MPI_REQUEST_NULL;
	requests[2] = requests[0];
	MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	while (n == 0)
		MPI_Testsome(3, requests, &n, indices, statuses);
	printf("%d complete, index %d, got %d\n", n, indices[0], in);
	MPI_Finalize();
	return 0;
}
