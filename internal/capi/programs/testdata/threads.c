/* Threads that all call MPI, in the way that the argument says. */
#define _GNU_SOURCE
#include "program.h"
#include <pthread.h>
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
	OK(MPI_Get_version(&version, &sub));
	CHECK(version == MPI_VERSION && sub == MPI_SUBVERSION);
	CHECK(MPI_Wtime() > 0);
	return NULL;
}

static void *send_one(void *unused) {
	MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
	return NULL;
}

static void *all(void *unused) {
	join(MPI_THREAD_FUNNELED);
	ring();
	OK(MPI_Finalize());
	return NULL;
}

static void in_thread(void *(*f)(void *)) {
	pthread_t t;
	CHECK(pthread_create(&t, NULL, f, NULL) == 0);
	CHECK(pthread_join(t, NULL) == 0);
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
	if (strcmp(argv[1], "refused") == 0) {
		join(MPI_THREAD_FUNNELED);
		in_thread(send_one);
		return 0;
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
