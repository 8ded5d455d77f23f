/* All ranks make collective calls that one of them is refused, each followed at once by right calls, of the same
   operation among others. The first argument is the rank, the second what it does: "goes on" with the right calls,
   "alone" has it make a call that the others do not make. The third argument is the form of the first calls, others
   follow; with another one "large" all counts have 64 bits. */
#include "program.h"

enum { N = 3, FORMS = 3, MOST = 16 };

static int bad, large, s[N * MOST], r[N * MOST];

static void fill(void) {
	for (int i = 0; i < N * MOST; i++) s[i] = 1000 * rank + i, r[i] = -1;
}

/* done completes a call of a form: 0 blocking, 1 nonblocking, 2 persistent. */
static int done(int rc, int form, MPI_Request *q) {
	if (!rc && form == 2) rc = MPI_Start(q);
	if (!rc && form) rc = MPI_Wait(q, MPI_STATUS_IGNORE);
	if (!rc && form == 2) rc = MPI_Request_free(q);
	return rc;
}

#define DO(Name, name, ...) \
	(large ? DO_AS(Name##_c, name##_c, Name##_init_c, __VA_ARGS__) : DO_AS(Name, name, Name##_init, __VA_ARGS__))

#define DO_AS(Name, name, Init, ...) \
	(form == 0 ? MPI_##Name(__VA_ARGS__, c) \
	           : form == 1 ? MPI_I##name(__VA_ARGS__, c, &q) : MPI_##Init(__VA_ARGS__, c, MPI_INFO_NULL, &q))

enum { BCAST, ALLREDUCE, ALLTOALL, KINDS };
enum { RIGHT, COUNT, TYPE, ROOT_OR_OP, ARGUMENTS };

/* call makes a call with one wrong argument, or none. */
static int call(int kind, int form, int wrong) {
	MPI_Comm c = MPI_COMM_WORLD;
	MPI_Request q = MPI_REQUEST_NULL;
	int n = wrong == COUNT ? -1 : N, root = wrong == ROOT_OR_OP ? 99 : size - 1, rc = 0;
	MPI_Datatype t = wrong == TYPE ? MPI_DATATYPE_NULL : MPI_INT;
	MPI_Op op = wrong == ROOT_OR_OP ? MPI_OP_NULL : MPI_SUM;
	fill();
	if (kind == BCAST) rc = DO(Bcast, bcast, s, n, t, root);
	if (kind == ALLREDUCE) rc = DO(Allreduce, allreduce, s, r, n, t, op);
	if (kind == ALLTOALL) rc = DO(Alltoall, alltoall, s, n, t, r, N, MPI_INT);
	return done(rc, form, &q);
}

static void right(int kind, int form) {
	OK(call(kind, form, RIGHT));
	for (int i = 0; i < N; i++) {
		if (kind == BCAST) CHECK(s[i] == 1000 * (size - 1) + i);
		if (kind == ALLREDUCE) CHECK(r[i] == 1000 * size * (size - 1) / 2 + size * i);
		for (int from = 0; kind == ALLTOALL && from < size; from++)
			CHECK(r[N * from + i] == 1000 * from + N * rank + i);
	}
}

/* refused makes a call that is wrong at one rank. Those that need its part hear of it, all if it is prepared. */
static void refused(int kind, int form, int wrong) {
	int rc = call(kind, form, rank == bad ? wrong : RIGHT);
	if (rank == bad || kind == ALLREDUCE || kind == ALLTOALL || bad == size - 1 || form == 2) CHECK(rc);
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	CHECK(argc >= 3 && size <= MOST);
	int form = argc > 3 ? atoi(argv[3]) : 0;
	bad = atoi(argv[1]) % size;
	large = argc > 4 && !strcmp(argv[4], "large");
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	if (!strcmp(argv[2], "alone")) {
		if (rank == bad) CHECK(call(BCAST, form, ROOT_OR_OP));
		OK(MPI_Finalize());
		return 0;
	}
	for (int kind = 0; kind < KINDS; kind++)
		for (int wrong = COUNT; wrong < ARGUMENTS; wrong++) {
			if (kind == ALLTOALL && wrong == ROOT_OR_OP) continue;
			for (int next = 0; next < KINDS; next++) {
				refused(kind, form, wrong);
				right(next, (form + next) % FORMS);
				right(kind, form);
				refused(kind, (form + next) % FORMS, wrong);
				refused(kind, (form + 1) % FORMS, wrong);
				refused(kind, (form + 2) % FORMS, wrong);
				OK(MPI_Barrier(MPI_COMM_WORLD));
			}
		}
	OK(MPI_Finalize());
	if (rank == 0) printf("right\n");
	return 0;
}
