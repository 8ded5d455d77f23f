/* Loads libmpi.so for all to see before MPI_Init, as Rmpi does: it is the library that the program has. */
#include <mpi.h>
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
	void *library = dlopen("libmpi.so", RTLD_LAZY | RTLD_GLOBAL);
	if (!library || dlsym(library, "MPI_Barrier") != (void *)MPI_Barrier) {
		fprintf(stderr, "libmpi.so is not the library of the program: %s\n", library ? "another" : dlerror());
		return 1;
	}
	MPI_Init(NULL, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
