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
	int before[] = {number("PMI_RANK"), number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_LOCAL_RANK"),
		number("OMPI_COMM_WORLD_NODE_RANK"), number("MPI_LOCALRANKID")};
	int all[] = {number("PMI_SIZE"), number("OMPI_COMM_WORLD_SIZE"), number("OMPI_COMM_WORLD_LOCAL_SIZE"),
		number("OMPI_UNIVERSE_SIZE")};
	int arenas = number("MALLOC_ARENA_MAX");
	join(MPI_THREAD_SINGLE);
	for (int i = 0; i < 5; i++)
		CHECK(before[i] == rank);
	for (int i = 0; i < 4; i++)
		CHECK(all[i] == size);
	const char *step = getenv("MALLOC_TOP_PAD_"), *block = getenv("MALLOC_MMAP_THRESHOLD_");
	printf("%d %s %s %s\n", arenas, getenv("OMPI_COMM_WORLD_LOCAL_RANK"), step ? step : "-", block ? block : "-");
	OK(MPI_Finalize());
	return 0;
}
