// Ways into Go.
//
// A thread enters by cgo until MPI_Init or MPI_Init_thread has granted a thread level. With
// SINGLE or FUNNELED no other thread calls MPI from then on. So the thread that has initialised
// MPI changes to the coroutine, which is faster (see package coro). All threads go on with cgo
// if the level is SERIALIZED or MULTIPLE, if the thread is not that of main, or with PVAS_ENTRY=cgo.
//
// A thread leaves the coroutine when the library begins to serve other ranks while the program computes. It does so,
// too, when another thread calls MPI nevertheless: see claim.c. The child of a fork is refused.

#define _GNU_SOURCE
#include "entry.h"
#include "face.h"
#include "gen/ops.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "_cgo_export.h"

struct world libmpi_world;
struct tables libmpi_tables;

__thread struct context *libmpi_mine __attribute__((tls_model("initial-exec")));
static __thread int is_main __attribute__((tls_model("initial-exec")));
static int level, finalized, forked;

#if defined __x86_64__ || defined __aarch64__

static struct context context __attribute__((aligned(64)));

// The stack on which the runtime runs its own code for the thread of the coroutine. The
// runtime takes the uppermost 32 KiB for Go; what it calls in C, and handlers of signals, may use the rest.
static char runtime_stack[256 << 10] __attribute__((aligned(64)));

static void start_coroutine(void) {
	libmpi_first(&context, runtime_stack + sizeof runtime_stack);
	libmpi_mine = &context;
	libmpi_coroutine_ends(&context);
	__atomic_store_n(&libmpi_owned, 1, __ATOMIC_RELEASE);
}

// A thread that ends before the process does must have left Go, so the coroutine is for
// the thread of main, which seldom does.
static int have_coroutine(void) {
	const char *entry = getenv("PVAS_ENTRY");
	return getpid() == gettid() && (entry == NULL || strcmp(entry, "cgo") != 0);
}

#else // the other machines have cgo only

static void start_coroutine(void) {}
static int have_coroutine(void) { return 0; }
void libmpi_switch(struct context *c) { abort(); }
int64_t libmpi_call(int64_t op, const int64_t *args) { return libmpi_elsewhere(op, args); }

#endif

int libmpi_is_main(void) { return is_main; }

double libmpi_time(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// answer_elsewhere answers the calls that any thread may make at any time, without Go.
static int answer_elsewhere(int64_t op, const int64_t *args) {
	switch (op) {
	case OP_Initialized:
		*(int *)args[0] = 1;
		return 1;
	case OP_Finalized:
		*(int *)args[0] = __atomic_load_n(&finalized, __ATOMIC_ACQUIRE);
		return 1;
	case OP_Query_thread:
		*(int *)args[0] = level;
		return 1;
	case OP_Get_version:
		*(int *)args[0] = MPI_VERSION;
		*(int *)args[1] = MPI_SUBVERSION;
		return 1;
	}
	return 0;
}

void libmpi_ending(void) {
	libmpi_world.size = 0;
	libmpi_tables.windows = NULL;
	__atomic_store_n(&finalized, 1, __ATOMIC_RELEASE);
}

static void *flush(void *unused) {
	void (*fortran)(int *unit) = (void (*)(int *))dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");
	if (fortran)
		fortran(NULL);
	fflush(NULL);
	return unused;
}

void libmpi_flush(void) {
	struct timespec end;
	pthread_t thread;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	if (pthread_create(&thread, NULL, flush, NULL) == 0)
		pthread_timedjoin_np(thread, NULL, &end);
}

static void refuse(void) {
	static const char text[] =
		"libmpi: a process that a rank has forked calls MPI, which only the rank may do: "
		"let it start another program, or end by _exit\n";
	_exit(write(STDERR_FILENO, text, strlen(text)) < 0 ? 2 : 1);
}

// after_fork runs in the child of a rank. It has the rank's memory, but is not in the job, and
// none of the runtime's threads is there.
static void after_fork(void) {
	libmpi_mine = NULL;
	libmpi_tables.windows = NULL;
	forked = 1;
	is_main = 0;
}

// begun is called after MPI_Init has granted a thread level.
static void begun(void) {
	level = libmpiLevel();
	int64_t rank[] = {0, libmpi_number(MPI_COMM_WORLD), (int64_t)&libmpi_world.rank};
	int64_t size[] = {0, libmpi_number(MPI_COMM_WORLD), (int64_t)&libmpi_world.size};
	is_main = 1;
	pthread_atfork(NULL, NULL, after_fork);
	libmpiDescribeRank(&libmpi_described);
	libmpiDescribeTables(&libmpi_tables);
	if (libmpi_described.size > 0)
		libmpi_leave_at_end();
	if (level < MPI_THREAD_SERIALIZED && have_coroutine())
		start_coroutine();
	else
		libmpiFreeSlots();
	libmpi_call(OP_Comm_rank, rank + 1);
	libmpi_call(OP_Comm_size, size + 1);
	libmpi_report_faults(libmpi_world.rank);
}

static void call_by_cgo(struct context *c) {
	int init = c->op == OP_Init || c->op == OP_Init_thread;
	if (init) {
		libmpi_alone();
		libmpi_fault_stack();
		libmpi_go_signals();
	}
	libmpiCall((uintptr_t)c);
	if (!init)
		return;
	libmpi_c_signals();
	if (c->result == MPI_SUCCESS)
		begun();
}

uintptr_t libmpi_upcall(uintptr_t function, const uintptr_t *a) {
	typedef uintptr_t any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
	return ((any *)function)(a[0], a[1], a[2], a[3], a[4], a[5]);
}

// serve_upcall reads the context before it calls the function, which may call MPI again and so
// change it.
static void serve_upcall(struct context *c) {
	if (c->upcall == LEAVE) {
		libmpi_leave(c);
		return;
	}
	uintptr_t function = c->upcall, args[UPCALL_ARGS];
	memcpy(args, c->upcall_args, sizeof args);
	c->upcall = 0;
	uintptr_t result = libmpi_upcall(function, args);
	c->op = OP_RETURN;
	c->result = (int64_t)result;
	libmpi_switch(c);
}

// handle calls the error handler, after all else: the handler may call MPI, and may not return. It may change the code
// that the function returns.
static int64_t handle(struct context *c) {
	uintptr_t function = c->handler;
	uintptr_t object = c->object;
	int64_t result = c->result;
	int64_t raised = c->code;
	int code = (int)raised;
	c->handler = 0;
	libmpi_handle_error(function, &object, &code);
	return result == raised ? code : result;
}

int64_t libmpi_elsewhere(int64_t op, const int64_t *args) {
	struct context c = {.op = op, .args = (uintptr_t)args};
	if (libmpi_described.state != NULL && !is_main && (forked || level < MPI_THREAD_SERIALIZED)) {
		if (answer_elsewhere(op, args))
			return MPI_SUCCESS;
		if (forked)
			refuse();
		libmpi_second_thread(op);
	}
	call_by_cgo(&c);
	return c.handler ? handle(&c) : c.result;
}

int64_t libmpi_back_in_c(struct context *c) {
	while (c->upcall)
		serve_upcall(c);
	libmpi_end_call(c);
	return c->handler ? handle(c) : c->result;
}
