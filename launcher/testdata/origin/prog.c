/* A program that finds its libraries by $ORIGIN: the first by its own run path,
   which in turn finds the second by its, the third by dlopen. */
#include <dlfcn.h>
#include <stdio.h>

int first(void);

int main(int argc, char **argv)
{
#ifdef DLOPEN
	void *third = dlopen("$ORIGIN/../lib/libthird.so", RTLD_NOW);
	if (!third) {
		printf("%s\n", dlerror());
		return 1;
	}
	int (*f)(void) = (int (*)(void))dlsym(third, "third");
	printf("%s %d %d %d\n", argv[0], argc, FIRST, f());
#else
	printf("%s %d %d\n", argv[0], argc, FIRST);
#endif
	return 0;
}
