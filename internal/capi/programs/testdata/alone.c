// Another MPI, in which each rank is alone; with -DPROGRAM a program that is linked with it, and initialises it if it
// has an argument.
#include <stdio.h>

#ifdef PROGRAM
int MPI_Init(void *argc, void *argv);
int MPI_Initialized(int *flag);

int main(int argc, char **argv)
{
	int flag;
	MPI_Initialized(&flag);
	if (argc > 1)
		MPI_Init(&argc, &argv);
	puts("alone");
	return 0;
}
#else
int MPI_Init(void *argc, void *argv) { return 0; }
int MPI_Initialized(int *flag) { return *flag = 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Comm_size(void *comm, int *size) { return *size = 1, 0; }
int MPI_Comm_rank(void *comm, int *rank) { return *rank = 0; }
#endif
