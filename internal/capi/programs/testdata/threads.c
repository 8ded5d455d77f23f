/* Threads that all call MPI, in the way that the argument says. */
#define _GNU_SOURCE
#include "program.h"
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 200 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int serial;

static void enter(void) { if (serial) CHECK(pthread_mutex_lock(&turn) == 0); }
static void leave(void) { if (serial) CHECK(pthread_mutex_unlock(&turn) == 0); }

/* Each thread exchanges messages with the thread of the same number on both neighbours. */
static void *work(void *number) {
	int tag = (int)(long)number, next = (rank + 1) % size, last = (rank + size - 1) % size, flag;
	for (int i = 0; i < ROUNDS; i++) {
		int out = rank * ROUNDS + i, in = -1, done = 0;
		MPI_Request both[2];
		enter();
		OK(MPI_Irecv(&in, 1, MPI_INT, last, tag, MPI_COMM_WORLD, &both[0]));
		OK(MPI_Isend(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &both[1]));
		leave();
		if (serial) {
			while (!done) {
				enter();
				OK(MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE));
				leave();
			}
		} else {
			OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
		}
		CHECK(in == last * ROUNDS + i);
	}
	OK(MPI_Is_thread_main(&flag));
	CHECK(flag == (tag == 0));
	return NULL;
}

/* The library asks this when it looks for the bounds of a stack. */
static int asked;
pid_t getpid(void) { return asked++, syscall(SYS_getpid); }

/* Calls from any depth of the stack. The bounds of the stack of main are looked for once. */
static void deep(int frames) {
	volatile char frame[64 << 10];
	MPI_Datatype type;
	for (int i = 0; i < 10; i++) {
		OK(MPI_Type_dup(MPI_INT, &type));
		OK(MPI_Type_free(&type));
	}
	frame[0] = frame[sizeof frame - 1] = 1;
	if (frames > 0)
		deep(frames - 1);
	CHECK(frame[0] == frame[sizeof frame - 1]);
}

/* A thread that does not call MPI but for what any thread may ask. */
static void *ask(void *unused) {
	int flag = -1, version, sub;
	OK(MPI_Initialized(&flag));
	CHECK(flag == 1);
	OK(MPI_Finalized(&flag));
	CHECK(flag == 0);
	OK(MPI_Is_thread_main(&flag));
	CHECK(flag == 0);
	OK(MPI_Query_thread(&flag));
	CHECK(flag == MPI_THREAD_FUNNELED);
	OK(MPI_Get_version(&version, &sub));
	CHECK(version == MPI_VERSION && sub == MPI_SUBVERSION);
	CHECK(MPI_Wtime() > 0);
	return NULL;
}

static void in_thread(void *(*f)(void *)) {
	pthread_t t;
	CHECK(pthread_create(&t, NULL, f, NULL) == 0);
	CHECK(pthread_join(t, NULL) == 0);
}

static int deleted, handled;

static void sum(void *in, void *inout, int *n, MPI_Datatype *type) {
	int length, version, sub;
	OK(MPI_Type_size(*type, &length)); /* a call within a callback */
	OK(MPI_Get_version(&version, &sub));
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static int delete(MPI_Comm comm, int key, void *value, void *extra) {
	int me;
	OK(MPI_Comm_rank(comm, &me));
	deleted++;
	return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *code, ...) { handled++; }

/* Calls of one thread that are made while no other one is in MPI, with callbacks of all kinds. */
static void *alone(void *unused) {
	MPI_Op op;
	MPI_Errhandler handler;
	MPI_Comm copy;
	MPI_Win win;
	int key, total = 0, deletions = deleted, errors = handled, *memory;
	ring();
	OK(MPI_Op_create(sum, 1, &op));
	OK(MPI_Allreduce(&rank, &total, 1, MPI_INT, op, MPI_COMM_WORLD));
	CHECK(total == size * (size - 1) / 2);
	OK(MPI_Op_free(&op));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &key, NULL));
	OK(MPI_Comm_set_attr(copy, key, &key));
	OK(MPI_Comm_create_errhandler(handle, &handler));
	OK(MPI_Comm_set_errhandler(copy, handler));
	MPI_Send(&rank, 1, MPI_INT, size, 0, copy);
	CHECK(handled == errors + 1);
	OK(MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, copy, &memory, &win));
	*memory = -1;
	OK(MPI_Barrier(copy));
	OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, win));
	OK(MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win));
	OK(MPI_Win_unlock((rank + 1) % size, win));
	OK(MPI_Barrier(copy));
	CHECK(*memory == (rank + size - 1) % size);
	OK(MPI_Win_free(&win));
	OK(MPI_Comm_free(&copy));
	CHECK(deleted == deletions + 1);
	OK(MPI_Comm_free_keyval(&key));
	OK(MPI_Errhandler_free(&handler));
	return NULL;
}

static void *finalize(void *unused) {
	alone(NULL);
	OK(MPI_Finalize());
	return NULL;
}

/* Calls of several threads at once, to which none has a right, each within this rank. They are put in a row or not, but
 * nothing is lost. */
static void *within(void *number) {
	int tag = (int)(long)number;
	for (int i = 0; i < ROUNDS; i++) {
		int in = -1;
		OK(MPI_Sendrecv(&i, 1, MPI_INT, rank, tag, &in, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(in == i);
	}
	return NULL;
}

static void *send_one(void *unused) {
	OK(MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
	return NULL;
}

static pthread_t sender;

/* Main is in a call when the other thread calls, and goes on within it. */
static int start_sender(MPI_Comm comm, int key, void *waits, void *extra) {
	int in, flag;
	CHECK(pthread_create(&sender, NULL, send_one, NULL) == 0);
	for (int i = 0; i < 100; i++) {
		CHECK(sched_yield() == 0);
		OK(MPI_Iprobe(rank, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
	}
	if (waits) /* for what the other thread would send, which waits for the end of this call */
		OK(MPI_Recv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	return MPI_SUCCESS;
}

static void call_within_call(int waits) {
	int key, in;
	MPI_Comm copy;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, start_sender, &key, NULL));
	OK(MPI_Comm_set_attr(copy, key, waits ? &key : NULL));
	OK(MPI_Comm_free(&copy));
	CHECK(pthread_join(sender, NULL) == 0);
	OK(MPI_Recv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Comm_free_keyval(&key));
	OK(MPI_Finalize());
}

static void *outlive(void *of_main) {
	CHECK(pthread_join(*(pthread_t *)of_main, NULL) == 0);
	finalize(NULL);
	exit(0);
}

/* Threads that MPI_Init has promised nothing, as the argument says. */
static int second_threads(const char *how) {
	pthread_t t;
	static pthread_t main_thread;
	if (strcmp(how, "in a call") == 0) {
		call_within_call(0);
	} else if (strcmp(how, "waits") == 0) {
		call_within_call(1);
	} else if (strcmp(how, "at once") == 0) {
		CHECK(pthread_create(&t, NULL, within, (void *)1L) == 0);
		within((void *)0L);
		CHECK(pthread_join(t, NULL) == 0);
		OK(MPI_Finalize());
	} else if (strcmp(how, "main ends") == 0) {
		main_thread = pthread_self();
		CHECK(pthread_create(&t, NULL, outlive, &main_thread) == 0);
		pthread_exit(NULL);
	} else { /* one at a time */
		in_thread(alone);
		alone(NULL);
		in_thread(alone);
		alone(NULL);
		in_thread(finalize);
		int flag;
		OK(MPI_Finalized(&flag));
		CHECK(flag);
	}
	return 0;
}

static void *all(void *unused) {
	join(MPI_THREAD_FUNNELED);
	ring();
	OK(MPI_Finalize());
	return NULL;
}

int main(int argc, char **argv) {
	CHECK(argc == 2);
	if (strcmp(argv[1], "other") == 0) { /* all of MPI in a thread that is not main */
		in_thread(all);
		return 0;
	}
	if (strcmp(argv[1], "funneled") == 0) {
		join(MPI_THREAD_FUNNELED);
		in_thread(ask);
		ring();
		in_thread(ask);
		OK(MPI_Finalize());
		return 0;
	}
	if (strncmp(argv[1], "second ", 7) == 0) {
		join(MPI_THREAD_FUNNELED);
		alone(NULL);
		return second_threads(argv[1] + 7);
	}
	serial = strcmp(argv[1], "serialized") == 0;
	join(serial ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE);
	pthread_t threads[THREADS];
	for (long i = 1; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
	work((void *)0L);
	asked = 0;
	deep(100);
	CHECK(asked < 10);
	for (int i = 1; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	ring();
	OK(MPI_Finalize());
	return 0;
}
