/* Calls that are refused. The argument says which. */
#include "program.h"

static MPI_Win window;
static MPI_Comm half;

static void make(void) {
	int *base;
	OK(MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &half));
}

static void solve(const char *what) {
	int x = 0;
	if (strcmp(what, "put") == 0) {
		OK(MPI_Win_fence(0, window));
		MPI_Put(&x, 1, MPI_INT, 0, 100, 1, MPI_INT, window);
	} else if (strcmp(what, "send") == 0) {
		MPI_Send(&x, 1, MPI_INT, 99, 0, half);
	} else if (strcmp(what, "dynamic") == 0 || strcmp(what, "attach") == 0) {
		OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
		OK(MPI_Win_fence(0, window));
		if (what[0] == 'd')
			MPI_Put(&x, 1, MPI_INT, 0, -5, 1, MPI_INT, window);
		else
			MPI_Win_attach(window, (void *)(1ul << 62), 4096);
	} else if (strcmp(what, "end") == 0) {
		if (rank == 0)
			OK(MPI_Win_fence(0, window));
		else
			OK(MPI_Win_free(&window));
	} else if (strcmp(what, "string") == 0) {
		char text[MPI_MAX_ERROR_STRING];
		OK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
		MPI_Error_string(MPI_Win_unlock(0, window), text, &x);
		fprintf(stderr, "%s\n", text);
		exit(1);
	}
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	make();
	solve(argv[argc - 1]);
	return 0;
}
