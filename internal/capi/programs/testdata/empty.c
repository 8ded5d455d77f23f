/* Memory without bytes has its place all the same: a part of a shared window lies where the one before it ends, and
 * what the program gives is what it gets. */
#include "program.h"

/* mine checks the two ways in which a rank learns where its own memory begins. */
static void mine(MPI_Win w, const void *base) {
	char *at, *queried;
	MPI_Aint bytes;
	int unit, flag;
	OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &at, &flag));
	CHECK(flag && at == base);
	OK(MPI_Win_shared_query(w, rank, &bytes, &unit, &queried));
	CHECK(bytes == 0 && queried == base);
}

/* contiguous has only some ranks bring memory. */
static void contiguous(int with) {
	char *base, *first = NULL, *at;
	MPI_Win w;
	MPI_Aint bytes;
	int unit, before = 0;
	OK(MPI_Win_allocate_shared(with & 1 << rank ? 1000 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
	OK(MPI_Win_shared_query(w, 0, &bytes, &unit, &first));
	for (int r = 0; r < size; before += with & 1 << r ? 1000 : 0, r++) {
		OK(MPI_Win_shared_query(w, r, &bytes, &unit, &at));
		CHECK(at == first + before && bytes == (with & 1 << r ? 1000 : 0));
		if (r == rank)
			CHECK(base == at);
	}
	if (!(with & 1 << rank))
		mine(w, base);
	OK(MPI_Win_free(&w));
}

static void created(void) {
	char memory[8], *at;
	int flag;
	MPI_Win w;
	OK(MPI_Win_create(memory + 4, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &at, &flag));
	CHECK(flag && at == memory + 4);
	OK(MPI_Win_free(&w));
	OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &at, &flag));
	CHECK(flag && at == NULL);
	OK(MPI_Win_free(&w));
}

static void allocated(void) {
	char *base, *at;
	int flag;
	MPI_Win w;
	OK(MPI_Win_allocate(rank % 2 ? 100 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
	OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &at, &flag));
	CHECK(flag && at == base);
	OK(MPI_Win_free(&w));
}

/* attached: memory without bytes overlaps none. */
static void attached(void) {
	char memory[8];
	MPI_Win w;
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	OK(MPI_Win_attach(w, memory, 8));
	OK(MPI_Win_attach(w, memory + 4, 0));
	OK(MPI_Win_attach(w, memory + 8, 0));
	OK(MPI_Win_detach(w, memory + 4));
	OK(MPI_Win_detach(w, memory));
	OK(MPI_Win_attach(w, memory, 8));
	OK(MPI_Win_detach(w, memory));
	OK(MPI_Win_detach(w, memory + 8));
	OK(MPI_Win_free(&w));
}

int main(void) {
	char *one, *other;
	join(MPI_THREAD_SINGLE);
	for (int with = 0; with < 1 << size; with++)
		contiguous(with);
	created();
	allocated();
	attached();
	OK(MPI_Alloc_mem(0, MPI_INFO_NULL, &one));
	OK(MPI_Alloc_mem(0, MPI_INFO_NULL, &other));
	CHECK(one != other);
	OK(MPI_Free_mem(one));
	OK(MPI_Free_mem(other));
	OK(MPI_Finalize());
	return 0;
}
