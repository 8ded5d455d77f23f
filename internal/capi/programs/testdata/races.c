/* Two threads of each rank are in collective calls of one communicator, most often in another order on rank 1. Errors
 * are overlooked. The first argument names the call beside MPI_Barrier. Then all ranks meet. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm;
static int rank;
static const char *what, *self;

static void ends(MPI_Request r, int code) { if (code == MPI_SUCCESS) MPI_Wait(&r, MPI_STATUS_IGNORE); }

static void *barrier(void *late) {
	if (late) usleep(100000); /* most often one is inside by then */
	MPI_Barrier(comm);
	return NULL;
}

static void *other(void *late) {
	static int in[8], out[8];
	void *memory;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm c, freed = comm;
	MPI_Win w;
	MPI_File f;
	if (late) usleep(100000);
	int code;
	if (!strcmp(what, "ibarrier")) { code = MPI_Ibarrier(comm, &r); ends(r, code); }
	if (!strcmp(what, "iallreduce")) { code = MPI_Iallreduce(in, out, 8, MPI_INT, MPI_SUM, comm, &r); ends(r, code); }
	if (!strcmp(what, "dup")) MPI_Comm_dup(comm, &c);
	if (!strcmp(what, "split")) MPI_Comm_split(comm, 0, rank, &c);
	if (!strcmp(what, "allocate")) MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &memory, &w);
	if (!strcmp(what, "shared")) MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, comm, &memory, &w);
	if (!strcmp(what, "open")) MPI_File_open(comm, self, MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	if (!strcmp(what, "free")) MPI_Comm_free(&freed);
	return NULL;
}

int main(int c, char **v) {
	int level;
	pthread_t threads[2];
	self = v[0], what = v[1];
	MPI_Init_thread(&c, &v, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	int last = rank != 1; /* the call that comes late: 1 is the other one */
	pthread_create(&threads[0], NULL, barrier, last ? NULL : &rank);
	pthread_create(&threads[1], NULL, other, last ? &rank : NULL);
	for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
