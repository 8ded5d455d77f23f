/* Says of which pages the memory of MPI_Alloc_mem and of a window is, in KiB. */
#include "program.h"

#define BYTES (2 << 20)

static int kib_at(void *at) {
	char line[256];
	int kib = 0, inside = 0;
	FILE *f = fopen("/proc/self/smaps", "r");
	CHECK(f);
	while (kib == 0 && fgets(line, sizeof line, f)) {
		size_t start, end;
		if (sscanf(line, "%zx-%zx ", &start, &end) == 2)
			inside = start <= (size_t)at && (size_t)at < end;
		else if (inside)
			sscanf(line, "KernelPageSize: %d", &kib);
	}
	fclose(f);
	return kib;
}

int main(void) {
	char *mem, *part;
	MPI_Win w;
	join(MPI_THREAD_SINGLE);
	OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &mem));
	OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &w));
	memset(mem, 1, BYTES);
	memset(part, 1, BYTES);
	printf("%d %d\n", kib_at(mem), kib_at(part));
	OK(MPI_Free_mem(mem));
	OK(MPI_Win_free(&w));
	OK(MPI_Finalize());
	return 0;
}
