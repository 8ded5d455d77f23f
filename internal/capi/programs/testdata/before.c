/* What programs read before MPI_Init to learn their place. */
#include "program.h"

static int number(const char *name) {
	const char *text = getenv(name);
	if (!text)
		fprintf(stderr, "%s is not set\n", name);
	CHECK(text);
	return atoi(text);
}

int main(void) {
	int before[] = {number("PMI_RANK"), number("OMPI_COMM_WORLD_LOCAL_RANK"), number("MPI_LOCALRANKID")};
	int all = number("PMI_SIZE"), arenas = number("MALLOC_ARENA_MAX");
	join(MPI_THREAD_SINGLE);
	for (int i = 0; i < 3; i++)
		CHECK(before[i] == rank);
	CHECK(all == size);
	const char *step = getenv("MALLOC_TOP_PAD_"), *block = getenv("MALLOC_MMAP_THRESHOLD_");
	printf("%d %s %s %s\n", arenas, getenv("OMPI_COMM_WORLD_LOCAL_RANK"), step ? step : "-", block ? block : "-");
	OK(MPI_Finalize());
	return 0;
}
