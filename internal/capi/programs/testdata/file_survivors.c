/* The last rank dies, and the others make a collective call on a file that it has opened, which the argument names.
   They go on, also with the file. Run with --survive. */
#include "program.h"
#include <mpi-ext.h>
#include <signal.h>

static const char *how;

static int is(const char *name) { return strcmp(how, name) == 0; }

static int class_of(int code) {
	int class = -1;
	OK(MPI_Error_class(code, &class));
	return class;
}

#define FAILS(call) CHECK(class_of(call) == MPI_ERR_PROC_FAILED)

static void together(MPI_File f, int *block) {
	MPI_Request request;
	MPI_Status status;
	if (is("write at")) FAILS(MPI_File_write_at_all(f, rank * 4, block, 1, MPI_INT, &status));
	if (is("read at")) FAILS(MPI_File_read_at_all(f, rank * 4, block, 1, MPI_INT, &status));
	if (is("write")) FAILS(MPI_File_write_all(f, block, 1, MPI_INT, &status));
	if (is("read")) FAILS(MPI_File_read_all(f, block, 1, MPI_INT, &status));
	if (is("ordered")) FAILS(MPI_File_write_ordered(f, block, 1, MPI_INT, &status));
	if (is("begin")) {
		int code = MPI_File_write_all_begin(f, block, 1, MPI_INT);
		if (code == MPI_SUCCESS) code = MPI_File_write_all_end(f, block, &status);
		FAILS(code);
	}
	if (is("request")) {
		int code = MPI_File_iread_all(f, block, 1, MPI_INT, &request);
		if (code == MPI_SUCCESS) code = MPI_Wait(&request, &status);
		CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_PROC_FAILED); /* it may wait for nobody */
	}
	if (is("view")) FAILS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	if (is("size")) FAILS(MPI_File_set_size(f, 1000));
	if (is("preallocate")) FAILS(MPI_File_preallocate(f, 1000));
	if (is("sync")) FAILS(MPI_File_sync(f));
	if (is("atomicity")) FAILS(MPI_File_set_atomicity(f, 1));
	if (is("seek")) FAILS(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
}

int main(int argc, char **argv) {
	int block[8] = {0}, ready = 1, last, code, sum = 0;
	MPI_File f;
	MPI_Comm less;
	MPI_Status status;
	CHECK(argc == 3);
	how = argv[1];
	join(MPI_THREAD_SINGLE);
	last = size - 1;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	if (rank == last) {
		for (int r = 0; r < last; r++) /* some wait already, others do not yet */
			OK(MPI_Recv(&ready, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (is("close")) MPI_Abort(MPI_COMM_SELF, 3); /* which ends this rank alone */
		raise(SIGKILL);
	}
	OK(MPI_Send(&ready, 1, MPI_INT, last, 2, MPI_COMM_WORLD));
	together(f, block);
	if (is("revoke")) {
		if (rank == 0) OK(MPIX_File_revoke(f));
		code = class_of(MPI_File_sync(f));
		CHECK(code == MPI_ERR_REVOKED || code == MPI_ERR_PROC_FAILED);
	}
	block[0] = rank + 1;
	OK(MPI_File_write_at(f, rank * 4, block, 1, MPI_INT, &status));
	OK(MPI_File_write_shared(f, block, 0, MPI_INT, &status));
	OK(MPI_File_close(&f));
	CHECK(f == MPI_FILE_NULL);
	FAILS(MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_RDONLY, MPI_INFO_NULL, &f));

	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &less));
	OK(MPI_File_open(less, argv[2], MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
	OK(MPI_File_read_at_all(f, 0, block, last, MPI_INT, &status));
	for (int r = 0; r < last; r++) sum += block[r];
	CHECK(sum == last * (last + 1) / 2);
	OK(MPI_File_close(&f));
	OK(MPI_Comm_free(&less));
	OK(MPI_Finalize());
	if (rank == 0) puts("survived");
	return 0;
}
