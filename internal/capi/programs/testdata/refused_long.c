/* Each rank in turn is refused a nonblocking call of long blocks, whose lengths only two ranks know. Those that need
   its part get an error, others none, and the right calls after it have right data. */
#include "program.h"

enum { N = 40000, MOST = 4, RIGHT_CALLS = 5 };

static int counts[MOST], places[MOST], bytes[MOST], *s, *r;

static void refused(MPI_Comm c, int kind, int bad) {
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Datatype t = rank == bad ? MPI_DATATYPE_NULL : MPI_INT, types[] = {t, t, t, t};
	int rc = 0, root = size - 1, needs = 1;
	switch (kind) {
	case 0: rc = MPI_Ialltoallv(s, counts, places, t, r, counts, places, t, c, &q); break;
	case 1: rc = MPI_Ialltoallw(s, counts, bytes, types, r, counts, bytes, types, c, &q); break;
	case 2: rc = MPI_Igatherv(s, N, t, r, counts, places, t, root, c, &q), needs = rank == root; break;
	case 3: rc = MPI_Iscatterv(s, counts, places, t, r, N, t, root, c, &q), needs = bad == root; break;
	case 4: rc = MPI_Ineighbor_alltoallv(s, counts, places, t, r, counts, places, t, c, &q); break;
	case 5: rc = MPI_Ineighbor_allgatherv(s, N, t, r, counts, places, t, c, &q); break;
	}
	if (rank == bad) CHECK(rc && q == MPI_REQUEST_NULL);
	else {
		OK(rc);
		CHECK(!MPI_Wait(&q, MPI_STATUS_IGNORE) == !needs);
	}
}

static void right(MPI_Comm c, int from) {
	int mine = 100 * rank + from, all[MOST];
	MPI_Request q;
	OK(MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	for (int i = 0; i < size; i++) CHECK(all[i] == 100 * i + from);
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	MPI_Comm c;
	int periodic = 1;
	CHECK(size > 1 && size < MOST);
	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	for (int i = 0; i < MOST; i++) counts[i] = N, places[i] = i * N, bytes[i] = 4 * i * N;
	for (int kind = 0; kind < 6; kind++)
		for (int bad = 0; bad < size; bad++) {
			s = calloc(MOST * N, sizeof *s), r = calloc(MOST * N, sizeof *r);
			refused(c, kind, bad);
			free(s), free(r);
			for (int i = 0; i < RIGHT_CALLS; i++) right(c, i);
		}
	OK(MPI_Comm_free(&c));
	OK(MPI_Finalize());
	if (rank == 0) printf("right\n");
	return 0;
}
