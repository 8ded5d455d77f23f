/* Collective calls on copies of the world that one rank is refused, or all are, each followed at once by
   MPI_Comm_free. In some the other ranks have freed the copy before the refused call is made: they do not need that
   rank. Nothing but Finalize follows the last one. */
#include "program.h"

enum { BCAST, REDUCE, GATHER, KINDS, ROUNDS = 20 };

static void call(MPI_Comm c, int kind, int form, int bad) {
	MPI_Request q = MPI_REQUEST_NULL;
	int n = bad == size || bad == rank ? -1 : 1, s = 1, r[64] = {0}, rc = 0, root = bad % size;
	if (kind == BCAST) root = (root + 1) % size;
	if (kind == BCAST) rc = form ? MPI_Ibcast(&s, n, MPI_INT, root, c, &q) : MPI_Bcast(&s, n, MPI_INT, root, c);
	if (kind == REDUCE)
		rc = form ? MPI_Ireduce(&s, r, n, MPI_INT, MPI_SUM, root, c, &q)
		          : MPI_Reduce(&s, r, n, MPI_INT, MPI_SUM, root, c);
	if (kind == GATHER)
		rc = form ? MPI_Igather(&s, n, MPI_INT, r, n, MPI_INT, root, c, &q)
		          : MPI_Gather(&s, n, MPI_INT, r, n, MPI_INT, root, c);
	if (!rc) rc = MPI_Wait(&q, MPI_STATUS_IGNORE);
	if (n < 0) CHECK(rc);
}

/* freed has bad make the call when all others have freed the communicator. */
static void freed(int kind, int form, int bad) {
	MPI_Comm c;
	int token = 0;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Barrier(c)); /* then the memory for such calls is there */
	for (int i = 0; rank == bad && i < size - 1; i++)
		OK(MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	call(c, kind, form, bad);
	OK(MPI_Comm_free(&c));
	if (rank != bad) OK(MPI_Send(&token, 1, MPI_INT, bad, 1, MPI_COMM_WORLD));
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	CHECK(argc == 3 && size <= 64);
	int last = atoi(argv[1]), bad = atoi(argv[2]);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	/* Contexts are used again at once, with other calls. */
	for (int round = 0; round < ROUNDS; round++) {
		MPI_Comm c;
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		call(c, round % KINDS, round / KINDS % 2, round % (size + 1));
		OK(MPI_Comm_free(&c));
	}
	freed(last % KINDS, last / KINDS, bad);
	OK(MPI_Finalize());
	if (rank == 0) printf("right\n");
	return 0;
}
