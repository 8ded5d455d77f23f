/* A program that loads a library, its argument, before MPI_Init, and calls a function that no library has. */
#include <mpi.h>
#include <dlfcn.h>
#include <stdio.h>

int MPI_From_the_future(MPI_Comm comm);

int main(int argc, char **argv) {
	if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))
		fprintf(stderr, "%s\n", dlerror());
	MPI_Init(NULL, NULL);
	printf("runs\n");
	fflush(stdout);
	MPI_From_the_future(MPI_COMM_WORLD);
	return MPI_Finalize();
}
