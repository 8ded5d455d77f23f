// opens LIBRARY...: opens libraries, all but the last one for all to see. It calls go of the last one; if that has none
// it is an MPI, which it initialises. With -DHOST it has initialised MPI itself, and calls sum.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef HOST
#include <mpi.h>
#endif

static void *must(void *found)
{
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	return found;
}

int main(int argc, char **argv)
{
	void *library = NULL;
#ifdef HOST
	MPI_Init(&argc, &argv);
#endif
	for (int i = 1; i < argc; i++)
		library = must(dlopen(argv[i], RTLD_NOW | (i < argc - 1 ? RTLD_GLOBAL : RTLD_LOCAL)));
#ifdef HOST
	int (*sum)(void) = (int (*)(void))must(dlsym(library, "sum"));
	printf("sum %d\n", sum());
	MPI_Finalize();
#else
	void (*go)(void) = (void (*)(void))dlsym(library, "go");
	if (go) {
		go();
		return 0;
	}
	int rank, size;
	int (*init)(void *, void *) = (int (*)(void *, void *))must(dlsym(library, "MPI_Init"));
	int (*finalize)(void) = (int (*)(void))must(dlsym(library, "MPI_Finalize"));
	int (*number)(void *, int *) = (int (*)(void *, int *))must(dlsym(library, "MPI_Comm_size"));
	int (*place)(void *, int *) = (int (*)(void *, int *))must(dlsym(library, "MPI_Comm_rank"));
	void *world = dlsym(library, "ompi_mpi_comm_world");
	if (!world) // in MPICH, and in the standard ABI
		world = (void *)(dlsym(library, "MPIR_Dup_fn") ? 0x44000000L : 0x101L);
	init(NULL, NULL);
	number(world, &size);
	place(world, &rank);
	if (rank == 0)
		printf("size %d\n", size);
	finalize();
#endif
	return 0;
}
