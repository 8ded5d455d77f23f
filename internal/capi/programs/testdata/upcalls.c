/* The library calls functions of the program, which call the library. */
#include "program.h"
#include <time.h>

static int depth, most;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
	volatile char frame[65536]; /* there is more stack than Go gives a function */
	memset((char *)frame, 1, sizeof frame);
	MPI_Comm deeper;
	CHECK(extra == &most);
	if ((long)in == -1)
		return MPI_ERR_OTHER;
	if (++depth > most)
		most = depth;
	ring();
	if ((long)in > 0 && depth < 20) {
		OK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, (void *)((long)in - 1)));
		OK(MPI_Comm_dup(MPI_COMM_SELF, &deeper));
		OK(MPI_Comm_free(&deeper));
	}
	ring();
	depth--;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int deleted;
static int delete_attr(MPI_Comm comm, int keyval, void *value, void *extra) {
	deleted++;
	return MPI_SUCCESS;
}

static int refuse(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag) {
	return MPI_ERR_OTHER;
}

int main(void) {
	int keyval;
	MPI_Comm other;
	MPI_Datatype type, copied = MPI_INT;
	join(MPI_THREAD_SINGLE);
	OK(MPI_Comm_create_keyval(copy, delete_attr, &keyval, &most));
	for (int i = 0; i < 20; i++) {
		most = 0;
		OK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, (void *)5L));
		OK(MPI_Comm_dup(MPI_COMM_SELF, &other));
		CHECK(most == 6 && depth == 0);
		OK(MPI_Comm_free(&other));
		CHECK(deleted > 0);
	}
	/* A copy that is refused leaves no handle behind. */
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, (void *)-1L));
	other = MPI_COMM_SELF;
	CHECK(MPI_Comm_dup(MPI_COMM_SELF, &other) != MPI_SUCCESS && other == MPI_COMM_NULL);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Type_create_keyval(refuse, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL));
	OK(MPI_Type_contiguous(2, MPI_INT, &type));
	OK(MPI_Type_set_attr(type, keyval, NULL));
	CHECK(MPI_Type_dup(type, &copied) != MPI_SUCCESS && copied == MPI_DATATYPE_NULL);
	OK(MPI_Finalize());
	return 0;
}
