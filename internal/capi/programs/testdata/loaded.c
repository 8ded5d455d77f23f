/* Loads the library as Python does, at run time: by itself, and by a module that links it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			exit(77); \
		} \
	} while (0)

int main(int argc, char **argv) {
	int flag = -1;
	CHECK(argc == 3);
	void *library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(library);
	int (*initialized)(int *) = (int (*)(int *))dlsym(library, "MPI_Initialized");
	CHECK(initialized && initialized(&flag) == 0 && flag == 0);
	void *module = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (!module)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(module);
	int (*run)(void) = (int (*)(void))dlsym(module, "run");
	CHECK(run && run() == 0);
	CHECK(initialized(&flag) == 0 && flag == 1);
	CHECK(dlclose(module) == 0 && dlclose(library) == 0);
	return 0;
}
