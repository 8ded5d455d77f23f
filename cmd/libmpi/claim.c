// Calls of threads to which MPI_Init has promised nothing.
//
// With MPI_THREAD_SINGLE and FUNNELED the thread of main has the coroutine, and no other one may call MPI. Some
// programs call from others nevertheless, one thread at a time. The first such call ends main's coroutine, while main
// waits for that thread, or computes. From then on all threads call by cgo, as with MPI_THREAD_MULTIPLE.
//
// Main may be in a call, if the program is wrong. So the other thread claims the context, and main says when it is
// inside:
//
//	main              | inside++; if (claimed) the slow way; the call; inside--; if (claimed) the slow way
//	the other thread  | claimed = 1; a barrier on each CPU that runs main; if (inside == 0) it leaves for main
//
// Main has no barrier of its own: after that of the other thread, either main's store to inside is seen here, or main
// finds claimed set. So main is never inside while another thread leaves for it. If both find that they may leave, the
// lock decides, and the second finds that the context has no owner any more. If main is inside, the other thread waits:
// main then leaves at the end of its call, and signals. So calls at once are put in a row. The program may have meant
// them to be at once: then its ranks can wait for ever, which the report of a hang, or a proved deadlock, tells. Within
// an upcall main is inside, too, and goes on with the coroutine until the outermost call has ended.
//
// A thread that leaves for main takes main's goroutine for its own meanwhile (see package coro). What the runtime is to
// know main as from then on, main finds in left, and takes it at its next call, or at its end.

#define _GNU_SOURCE
#include "entry.h"
#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "_cgo_export.h"

int libmpi_owned;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_left = PTHREAD_COND_INITIALIZER;
static struct context *owner; // set before libmpi_owned
static int told;              // Go knows that threads call
static pthread_key_t end_of_main;

// serve_end has libmpiServe return. libmpi_first goes on as the return of libmpi_switch.
static void serve_end(struct context *c) {
	c->upcall = 0;
	c->op = OP_RETURN;
	libmpi_switch(c);
	__atomic_store_n(&libmpi_owned, 0, __ATOMIC_RELEASE);
}

void libmpi_leave(struct context *c) {
	pthread_mutex_lock(&lock);
	if (libmpi_owned)
		serve_end(c);
	else if (c->left)
		c->exchange(c->left);
	c->left = 0;
	libmpi_mine = NULL;
	pthread_cond_broadcast(&has_left);
	pthread_mutex_unlock(&lock);
}

// leave_for_main is called by another thread, under the lock. Main is not inside.
static void leave_for_main(struct context *c) {
	uintptr_t mine = c->exchange(c->goroutine);
	serve_end(c);
	c->left = c->exchange(mine);
}

void libmpi_end_call(struct context *c) {
	uintptr_t inside = c->inside - 1;
	__atomic_store_n(&c->inside, inside, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (inside == 0 && libmpi_mine && __atomic_load_n(&c->claimed, __ATOMIC_RELAXED))
		libmpi_leave(c);
}

int64_t libmpi_call_over(struct context *c) {
	int64_t result = c->result;
	if (c->inside == 0)
		libmpi_leave(c);
	return result;
}

int64_t libmpi_claimed(int64_t op, const int64_t *args) {
	struct context *c = libmpi_mine;
	if (c->inside > 1) { // in an upcall
		c->op = op;
		c->args = (uintptr_t)args;
		libmpi_switch(c);
		return libmpi_back_in_c(c);
	}
	__atomic_store_n(&c->inside, 0, __ATOMIC_RELEASE);
	libmpi_leave(c);
	return libmpi_elsewhere(op, args);
}

// barrier_elsewhere is a barrier on each CPU that runs this process. Where the kernel has none, a pause is longer than
// any CPU keeps a store to itself.
static void barrier_elsewhere(void) {
	const struct timespec pause = {.tv_nsec = 1000000};
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
		nanosleep(&pause, NULL);
}

// await_main waits until main is not inside, or has left. If that lasts, the program is told.
static void await_main(struct context *c) {
	static const char text[] = "libmpi: a second thread calls MPI while the first one is in a call, and waits for the "
		"end of that call: call MPI_Init_thread with MPI_THREAD_MULTIPLE\n";
	struct timespec soon;
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	int late = 0;
	while (libmpi_owned && __atomic_load_n(&c->inside, __ATOMIC_ACQUIRE) != 0)
		if (late || pthread_cond_timedwait(&has_left, &lock, &soon) != 0) {
			if (!late && write(STDERR_FILENO, text, strlen(text)) < 0)
				_exit(2);
			late = 1;
			pthread_cond_wait(&has_left, &lock);
		}
}

void libmpi_second_thread(int64_t op) {
	if (__atomic_load_n(&told, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&lock);
	if (libmpi_owned) {
		__atomic_store_n(&owner->claimed, 1, __ATOMIC_SEQ_CST);
		barrier_elsewhere();
		await_main(owner);
		if (libmpi_owned)
			leave_for_main(owner);
	}
	if (!told) {
		struct context c = {.op = OP_THREADS, .args = (uintptr_t)op};
		libmpiCall((uintptr_t)&c);
	}
	__atomic_store_n(&told, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

// The destructor of this key runs before that by which the runtime gives the thread's record back: keys are destroyed
// in the order of their creation, and this one is created before the runtime begins.
static void main_ends(void *c) {
	if (libmpi_mine == c && ((struct context *)c)->inside == 0)
		libmpi_leave(c);
}

__attribute__((constructor(101))) static void create_key(void) { pthread_key_create(&end_of_main, main_ends); }

void libmpi_coroutine_ends(struct context *c) {
	owner = c;
	pthread_setspecific(end_of_main, c);
}
