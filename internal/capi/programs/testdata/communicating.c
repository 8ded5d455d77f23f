/* Operators that communicate, in all kinds and forms of reductions. Each call of theirs that may wait returns an error
   and changes nothing: the reduction goes on, and right calls follow. With an argument one such call is made, whose
   error ends the job. */
#include "program.h"

enum { MOST = 100000, LONG = 1 << 20, TAG = 9 };

static MPI_Comm other;
static MPI_Request begun = MPI_REQUEST_NULL;
static int call, refused, early, aborts;
static int in[MOST], out[MOST];
static char much[LONG];

static int next(void) { return (rank + 1) % size; }

/* poll repeats a call until it returns an error. */
#define POLL(flag, test) \
	do { \
		int rc; \
		flag = 0; \
		while (!(rc = (test))) CHECK(!flag); \
		return rc; \
	} while (0)

enum {
	RECV, RECV_ANY, SEND, SSEND, SENDRECV, PROBE, MPROBE, IPROBE, WAIT, WAITANY, WAITSOME, WAITALL, TEST, TESTANY,
	TESTSOME, TESTALL, STATUS, BARRIER, IBARRIER, BARRIER_INIT, DUP, CALLS
};

static int kept(int rc, MPI_Request r) {
	CHECK(r == begun);
	return rc;
}

/* communicate makes the call. */
static int communicate(void) {
	MPI_Comm c = MPI_COMM_WORLD, made;
	MPI_Message message;
	MPI_Request r, copy = begun;
	int x, flag;
	switch (call) {
	case RECV: return MPI_Recv(&x, 1, MPI_INT, next(), TAG, c, MPI_STATUS_IGNORE);
	case RECV_ANY: return MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, TAG, c, MPI_STATUS_IGNORE);
	case SEND: return MPI_Send(much, LONG, MPI_CHAR, next(), TAG, c);
	case SSEND: return MPI_Ssend(&x, 1, MPI_INT, next(), TAG, c);
	case SENDRECV:
		return MPI_Sendrecv(much, LONG, MPI_CHAR, next(), TAG, &x, 1, MPI_INT, next(), TAG, c, MPI_STATUS_IGNORE);
	case PROBE: return MPI_Probe(next(), TAG, c, MPI_STATUS_IGNORE);
	case MPROBE: return MPI_Mprobe(next(), TAG, c, &message, MPI_STATUS_IGNORE);
	case IPROBE: POLL(flag, MPI_Iprobe(next(), TAG, c, &flag, MPI_STATUS_IGNORE));
	case WAIT: return kept(MPI_Wait(&copy, MPI_STATUS_IGNORE), copy);
	case WAITANY: return MPI_Waitany(1, &copy, &x, MPI_STATUS_IGNORE);
	case WAITSOME: return MPI_Waitsome(1, &copy, &x, &flag, MPI_STATUSES_IGNORE);
	case WAITALL: return kept(MPI_Waitall(1, &copy, MPI_STATUSES_IGNORE), copy);
	case TEST: POLL(flag, MPI_Test(&copy, &flag, MPI_STATUS_IGNORE));
	case TESTANY: POLL(flag, MPI_Testany(1, &copy, &x, &flag, MPI_STATUS_IGNORE));
	case TESTSOME: POLL(flag, MPI_Testsome(1, &copy, &flag, &x, MPI_STATUSES_IGNORE));
	case TESTALL: POLL(flag, MPI_Testall(1, &copy, &flag, MPI_STATUSES_IGNORE));
	case STATUS: POLL(flag, MPI_Request_get_status(copy, &flag, MPI_STATUS_IGNORE));
	case BARRIER: return MPI_Barrier(other);
	case IBARRIER: return MPI_Ibarrier(other, &r);
	case BARRIER_INIT: return MPI_Barrier_init(other, MPI_INFO_NULL, &r);
	case DUP: return MPI_Comm_dup(other, &made);
	}
	exit(78);
}

static void add(void *a, void *b, int *n, MPI_Datatype *t) {
	int bytes, class;
	OK(MPI_Type_size(*t, &bytes)); /* local calls are right */
	CHECK(bytes == sizeof(int));
	if (aborts) MPI_Abort(MPI_COMM_WORLD, 5); /* so is this one */
	MPI_Error_class(communicate(), &class);
	CHECK(class == MPI_ERR_OP || (call == WAITALL && class == MPI_ERR_IN_STATUS));
	refused++;
	for (int i = 0; i < *n; i++) ((int *)b)[i] += ((int *)a)[i];
}

enum { REDUCE, ALLREDUCE, SCAN, KINDS };
enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

#define DO(Name, name, ...) \
	(form == BLOCKING ? MPI_##Name(__VA_ARGS__, c) \
	                  : form == NONBLOCKING ? MPI_I##name(__VA_ARGS__, c, &q) \
	                                        : MPI_##Name##_init(__VA_ARGS__, c, MPI_INFO_NULL, &q))

static void reduce(int kind, int form, int n, MPI_Op op) {
	MPI_Comm c = MPI_COMM_WORLD;
	MPI_Request q;
	if (kind == REDUCE) OK(DO(Reduce, reduce, in, out, n, MPI_INT, op, 0));
	if (kind == ALLREDUCE) OK(DO(Allreduce, allreduce, in, out, n, MPI_INT, op));
	if (kind == SCAN) OK(DO(Scan, scan, in, out, n, MPI_INT, op));
	for (int times = 0; form == PERSISTENT && times < 2; times++) {
		OK(MPI_Start(&q));
		OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	}
	if (form == PERSISTENT) OK(MPI_Request_free(&q));
	if (form == NONBLOCKING) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
}

/* rightCalls are no others than those that the operator was refused. */
static void rightCalls(void) {
	int x = -1, last = (rank + size - 1) % size, all;
	OK(MPI_Barrier(other)); /* no operator runs any more, which could take these messages */
	OK(MPI_Send(&rank, 1, MPI_INT, next(), TAG + 1, MPI_COMM_WORLD));
	OK(MPI_Wait(&begun, MPI_STATUS_IGNORE));
	CHECK(early == last);
	OK(MPI_Sendrecv(&rank, 1, MPI_INT, next(), TAG, &x, 1, MPI_INT, last, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(x == last);
	OK(MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_SUM, other));
	CHECK(all > 0);
}

static void each(MPI_Op op) {
	static const int lengths[] = {1, 500, MOST};
	for (call = 0; call < CALLS; call++)
		for (int kind = 0; kind < KINDS; kind++)
			for (int form = 0; form < FORMS; form++)
				for (int l = 0; l < 3; l++) {
					int n = lengths[l];
					for (int i = 0; i < n; i++) in[i] = rank + i, out[i] = -1;
					refused = 0;
					OK(MPI_Irecv(&early, 1, MPI_INT, (rank + size - 1) % size, TAG + 1, MPI_COMM_WORLD, &begun));
					reduce(kind, form, n, op);
					int ranks = kind == SCAN ? rank + 1 : size;
					for (int i = 0; i < n && (kind != REDUCE || rank == 0); i++)
						CHECK(out[i] == ranks * (ranks - 1) / 2 + ranks * i);
					rightCalls();
				}
}

/* take receives what this rank has sent to itself: no other call is underway where MPI_Reduce_local is. */
static void take(void *a, void *b, int *n, MPI_Datatype *t) {
	OK(MPI_Recv(b, *n, *t, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv) {
	join(argc > 1 && !strcmp(argv[1], "multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
	MPI_Op op, own;
	OK(MPI_Op_create(add, 1, &op));
	OK(MPI_Op_create(take, 1, &own));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
	aborts = argc > 2 && !strcmp(argv[2], "aborts");
	if (argc > 2) reduce(REDUCE, aborts || !strcmp(argv[2], "nonblocking"), 1, op);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
	each(op);
	int x = 0, y = 0;
	MPI_Request r;
	OK(MPI_Isend(&rank, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD, &r));
	OK(MPI_Reduce_local(&x, &y, 1, MPI_INT, own));
	CHECK(y == rank);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Op_free(&op));
	OK(MPI_Op_free(&own));
	OK(MPI_Comm_free(&other));
	if (rank == 0) puts("right");
	OK(MPI_Finalize());
	return 0;
}
