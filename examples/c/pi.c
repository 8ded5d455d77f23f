/* Pi by numerical integration, each rank a share of the steps.
   mpicc -O2 examples/c/pi.c -o pi && mpiexec -n 4 ./pi
   Ranks of examples/pi, which is in Go, may take part: mpiexec -n 2 ./pi : -n 2 ./examples/pi */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
	const int steps = 10 * 1000 * 1000;
	int rank, size;
	double part = 0, pi = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = rank; i < steps; i += size) {
		double x = (i + 0.5) / steps;
		part += 4 / (1 + x * x) / steps;
	}
	MPI_Allreduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks say that pi is %.9f\n", size, pi);
	MPI_Finalize();
	return 0;
}
