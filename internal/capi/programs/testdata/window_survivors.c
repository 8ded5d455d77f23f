/* The last rank dies within an epoch, in the way that the argument says. The others go on, also with the window. Run
   with --survive. */
#include "program.h"
#include <mpi-ext.h>
#include <signal.h>
#include <unistd.h>

enum { MANY = 2000 }; /* elements, more than are read without a call of Go */

static int last, *mine, x = 1, own[MANY];
static MPI_Win w;
static const char *how;

static int is(const char *name) { return strcmp(how, name) == 0; }

static int class_of(int code) {
	int class = -1;
	OK(MPI_Error_class(code, &class));
	return class;
}

#define FAILS(call) CHECK(class_of(call) == MPI_ERR_PROC_FAILED)

#define REVOKED(call) CHECK(class_of(call) == MPI_ERR_REVOKED)

/* ENDS is for calls that need a dead rank perhaps: they do not wait for it. */
#define ENDS(call) \
	do { \
		int class = class_of(call); \
		CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED); \
	} while (0)

/* before is what the last rank does before it dies. */
static void before(MPI_Group others) {
	if (is("exclusive") || is("waits")) OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
	if (is("its own")) OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, w));
	if (is("shared")) OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w));
	if (is("all")) {
		OK(MPI_Win_lock_all(0, w));
		OK(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
	}
	if (strncmp(how, "reads", 5) == 0)
		for (int i = 0; i < MANY; i++) mine[i] = i;
	if (is("complete")) OK(MPI_Win_post(others, 0, w));
}

/* locked locks a rank, and its memory is as it should be then. */
static void locked(int kind, int target) {
	int read = -1;
	OK(MPI_Win_lock(kind, target, 0, w));
	OK(MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, w));
	OK(MPI_Win_flush(target, w));
	OK(MPI_Get(&read, 1, MPI_INT, target, 0, 1, MPI_INT, w));
	OK(MPI_Win_unlock(target, w));
	CHECK(kind == MPI_LOCK_SHARED || read == rank);
}

/* after_first returns when the first rank has called it. */
static void after_first(void) {
	int token = 0;
	if (rank == 0)
		for (int r = 1; r < last; r++) OK(MPI_Send(&token, 1, MPI_INT, r, 3, MPI_COMM_WORLD));
	else
		OK(MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* before_first has the first rank return when all others have called it. */
static void before_first(void) {
	int token = 0;
	for (int r = 1; rank == 0 && r < last; r++)
		OK(MPI_Recv(&token, 1, MPI_INT, r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (rank != 0) OK(MPI_Send(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD));
}

/* reads has the memory of the last rank be as it left it, with all that can still read it, and nothing write it. */
static void reads(void) {
	int read[MANY], unit, zero = 0, *at;
	MPI_Aint bytes;
	CHECK(MPI_Recv(&x, 1, MPI_INT, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
	for (int all = 0; all < 2; all++) {
		if (all)
			OK(MPI_Win_lock_all(0, w));
		else
			OK(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, w));
		memset(read, 0, sizeof read);
		OK(MPI_Get(read, 1, MPI_INT, last, MANY - 1, 1, MPI_INT, w));
		CHECK(read[0] == MANY - 1);
		OK(MPI_Get(read, MANY, MPI_INT, last, 0, MANY, MPI_INT, w));
		for (int i = 0; i < MANY; i++) CHECK(read[i] == i);
		OK(MPI_Fetch_and_op(NULL, &x, MPI_INT, last, 7, MPI_NO_OP, w));
		CHECK(x == 7);
		FAILS(MPI_Put(&zero, 1, MPI_INT, last, 1, 1, MPI_INT, w));
		FAILS(MPI_Put(read, MANY, MPI_INT, last, 0, MANY, MPI_INT, w));
		FAILS(MPI_Accumulate(&rank, 1, MPI_INT, last, 1, 1, MPI_INT, MPI_SUM, w));
		FAILS(MPI_Fetch_and_op(&rank, &x, MPI_INT, last, 1, MPI_SUM, w));
		FAILS(MPI_Compare_and_swap(&zero, read, &x, MPI_INT, last, 1, w));
		if (all) {
			OK(MPI_Put(&rank, 1, MPI_INT, rank, 0, 1, MPI_INT, w)); /* to others as ever */
			OK(MPI_Win_unlock_all(w));
		} else {
			OK(MPI_Win_unlock(last, w));
		}
	}
	if (is("reads created")) return;
	OK(MPI_Win_shared_query(w, last, &bytes, &unit, &at));
	CHECK(bytes == MANY * 4 && unit == 4);
	for (int i = 0; i < MANY; i++) CHECK(at[i] == i);
}

/* after is what the others do. */
static void after(MPI_Group victim) {
	if (strncmp(how, "reads", 5) == 0) reads();
	if (is("fence")) {
		FAILS(MPI_Win_fence(0, w));
		FAILS(MPI_Win_fence(MPI_MODE_NOSUCCEED, w));
	}
	if (is("exclusive")) locked(MPI_LOCK_EXCLUSIVE, 0);
	if (is("waits")) {
		OK(MPI_Win_lock_all(0, w));
		OK(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
		OK(MPI_Win_unlock_all(w));
	}
	if (is("shared") || is("all")) {
		FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
		locked(MPI_LOCK_SHARED, 0);
	}
	if (is("its own")) {
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, w));
		ENDS(MPI_Put(&rank, 1, MPI_INT, last, 0, 1, MPI_INT, w));
		ENDS(MPI_Win_flush(last, w));
		ENDS(MPI_Win_unlock(last, w));
	}
	if (is("start")) FAILS(MPI_Win_start(victim, 0, w));
	if (is("complete")) {
		ENDS(MPI_Win_start(victim, MPI_MODE_NOCHECK, w));
		ENDS(MPI_Put(&rank, 1, MPI_INT, last, 0, 1, MPI_INT, w));
		ENDS(MPI_Win_complete(w));
	}
	if (is("wait")) {
		ENDS(MPI_Win_post(victim, 0, w));
		FAILS(MPI_Win_wait(w));
	}
	if (is("revoke")) { /* the first rank does not come: those that wait for it are told */
		MPI_Group first;
		int zero = 0;
		OK(MPI_Win_get_group(w, &first));
		OK(MPI_Group_incl(first, 1, &zero, &first));
		OK(MPI_Win_post(first, 0, w));
		before_first(); /* MPI_Win_post fails, too, on what was revoked */
		if (rank == 0) OK(MPIX_Win_revoke(w));
		REVOKED(MPI_Win_wait(w));
		REVOKED(MPI_Win_fence(0, w));
	}
	if (is("revoked lock")) {
		if (rank == 0) OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
		after_first();
		if (rank == 0) OK(MPIX_Win_revoke(w));
		if (rank != 0) REVOKED(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
	}
	if (is("test")) {
		int flag = 0, code = MPI_SUCCESS;
		OK(MPI_Win_post(victim, 0, w));
		while (code == MPI_SUCCESS) code = MPI_Win_test(w, &flag);
		FAILS(code);
	}
}

/* accumulates has all ranks add to rank 0 while the last one is killed. */
static void accumulates(pid_t victim) {
	int many[600];
	for (int i = 0; i < 600; i++) many[i] = 1;
	OK(MPI_Win_lock_all(0, w));
	for (int i = 0; rank == last || i < 20000; i++) {
		if (i == 10000 && rank == 0) CHECK(kill(victim, SIGKILL) == 0);
		OK(MPI_Accumulate(many, 600, MPI_INT, 0, 0, 600, MPI_INT, MPI_SUM, w));
	}
	OK(MPI_Win_unlock_all(w));
}

int main(int argc, char **argv) {
	int ready = 1, sum = 1, pid = 0;
	MPI_Group all, others, victim;
	MPI_Comm less;
	CHECK(argc == 2);
	how = argv[1];
	join(MPI_THREAD_SINGLE);
	last = size - 1;
	mine = own;
	if (is("created") || is("reads created"))
		OK(MPI_Win_create(own, sizeof own, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	else if (is("reads shared"))
		OK(MPI_Win_allocate_shared(sizeof own, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	else
		OK(MPI_Win_allocate(sizeof own, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	OK(MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_incl(all, 1, &last, &victim));
	OK(MPI_Group_excl(all, 1, &last, &others));
	if (rank == last) {
		before(others);
		pid = getpid();
		for (int r = 0; r < last; r++) OK(MPI_Send(&pid, 1, MPI_INT, r, 1, MPI_COMM_WORLD));
		if (is("accumulate")) accumulates(pid);
		for (int r = 0; r < last; r++) /* some wait already, others do not yet */
			OK(MPI_Recv(&ready, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		raise(SIGKILL);
	}
	OK(MPI_Recv(&pid, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (is("accumulate"))
		accumulates(pid);
	else
		OK(MPI_Send(&ready, 1, MPI_INT, last, 2, MPI_COMM_WORLD));
	after(victim);
	if (is("created")) { /* its memory may be read or not, but nobody waits */
		ENDS(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, w));
		ENDS(MPI_Get(&x, 1, MPI_INT, last, 0, 1, MPI_INT, w));
		ENDS(MPI_Win_unlock(last, w));
	}
	FAILS(MPI_Recv(&x, 1, MPI_INT, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); /* it has failed by now */
	OK(MPIX_Win_get_failed(w, &victim));
	OK(MPI_Group_size(victim, &x));
	CHECK(x == 1);
	OK(MPI_Win_free(&w));
	CHECK(w == MPI_WIN_NULL);
	FAILS(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));

	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &less));
	OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, less, &mine, &w));
	*mine = 0;
	OK(MPI_Win_fence(0, w));
	OK(MPI_Accumulate(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, w));
	OK(MPI_Win_fence(0, w));
	CHECK(rank != 0 || *mine == last);
	OK(MPI_Win_free(&w));
	OK(MPI_Comm_free(&less));
	OK(MPI_Finalize());
	if (rank == 0) puts("survived");
	return 0;
}
