/* Ranks give lengths that differ: who is told of it is told MPI_ERR_TRUNCATE. The arguments are the operation and
   the form: 0 blocking, 1 nonblocking, 2 persistent. Rank 0 sends more than all others expect. */
#include "program.h"
#include <unistd.h>

enum { LONG = 3000, SHORT = 2000, MOST = 8 };

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	CHECK(argc == 3 && size <= MOST);
	const char *what = argv[1];
	int form = argv[2][0] - '0', n = rank ? SHORT : LONG, rc = MPI_SUCCESS, class = MPI_SUCCESS;
	int *s = calloc(MOST * LONG, sizeof *s), *r = calloc(MOST * LONG, sizeof *r), ns[MOST], rs[MOST], ds[MOST];
	for (int i = 0; i < MOST; i++) {
		ns[i] = n;
		rs[i] = SHORT;
		ds[i] = i * LONG;
	}
	rs[0] = n;
	MPI_Comm c = MPI_COMM_WORLD;
	MPI_Request q = MPI_REQUEST_NULL;
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
#define DO(name, blocking, nonblocking, persistent, ...) \
	if (!strcmp(what, name)) { \
		if (form == 0) rc = blocking(__VA_ARGS__, c); \
		if (form == 1) rc = nonblocking(__VA_ARGS__, c, &q); \
		if (form == 2) rc = persistent(__VA_ARGS__, c, MPI_INFO_NULL, &q); \
	}
	DO("bcast", MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, s, n, MPI_INT, 0)
	DO("scatter", MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, s, n, MPI_INT, r, n, MPI_INT, 0)
	DO("gather", MPI_Gather, MPI_Igather, MPI_Gather_init, s, n, MPI_INT, r, n, MPI_INT, 1)
	DO("allgather", MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, s, n, MPI_INT, r, n, MPI_INT)
	DO("alltoall", MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, s, n, MPI_INT, r, n, MPI_INT)
	DO("scatterv", MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, s, ns, ds, MPI_INT, r, n, MPI_INT, 0)
	DO("gatherv", MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, s, n, MPI_INT, r, rs, ds, MPI_INT, 1)
	DO("allgatherv", MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, s, n, MPI_INT, r, rs, ds, MPI_INT)
	DO("alltoallv", MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, s, ns, ds, MPI_INT, r, rs, ds, MPI_INT)
	if (!rc && form == 2) rc = MPI_Start(&q);
	if (!rc && form) rc = MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Error_class(rc, &class);
	if (class == MPI_ERR_PROC_ABORTED) /* another was told before, and has ended */
		class = MPI_SUCCESS;
	if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE) {
		char text[MPI_MAX_ERROR_STRING];
		int length;
		MPI_Error_string(rc, text, &length);
		fprintf(stderr, "rank %d: %s, form %d: class %d: %s\n", rank, what, form, class, text);
	}
	if (class == MPI_ERR_TRUNCATE) printf("truncated\n");
	fflush(stdout);
	while (class == MPI_SUCCESS)
		pause(); /* until one that was told ends the job: an end before would end it untold */
	_exit(3);
}
