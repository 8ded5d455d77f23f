// Ways into Go.
//
// A thread enters by cgo until MPI_Init or MPI_Init_thread has granted a thread level. If
// that is SINGLE or FUNNELED, no other thread calls MPI from then on. The thread that has initialised
// changes to the coroutine, which is faster (see package coro). If it is SERIALIZED or MULTIPLE, or
// the environment says PVAS_ENTRY=cgo, all threads go on with cgo.
//
// mine is the context of the thread that has the coroutine; in all others it is NULL. owned is
// set once, by that thread. Another thread that calls MPI without a right to do so may read it late
// and wait in Go for a P; one that the program has started afterwards reads it set.

#include "entry.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "_cgo_export.h"

static __thread struct context *mine __attribute__((tls_model("initial-exec")));
static int owned;

#ifdef __x86_64__

static struct context context;

// The stack on which the runtime runs its own code for the thread of the coroutine. It takes
// the uppermost 32 KiB for Go; what it calls in C may use the rest.
static char runtime_stack[96 << 10] __attribute__((aligned(64)));

static void start_coroutine(void) {
	context.back = (uintptr_t)libmpi_back;
	libmpi_first(&context, runtime_stack + sizeof runtime_stack);
	mine = &context;
	__atomic_store_n(&owned, 1, __ATOMIC_RELEASE);
}

#else

static void start_coroutine(void) {}
void libmpi_switch(struct context *c) { abort(); }

#endif

static void refuse(void) {
	static const char text[] =
		"libmpi: a second thread calls MPI, which was initialised for one thread: "
		"call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or set PVAS_ENTRY=cgo\n";
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(1);
	_exit(1);
}

static int64_t call_by_cgo(int64_t op, const int64_t *args) {
	struct context c = {.op = op, .args = (uintptr_t)args};
	if (__atomic_load_n(&owned, __ATOMIC_ACQUIRE))
		refuse();
	if (libmpiCall((uintptr_t)&c))
		start_coroutine();
	return c.result;
}

uintptr_t libmpi_upcall(uintptr_t function, const uintptr_t *a) {
	typedef uintptr_t any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
	return ((any *)function)(a[0], a[1], a[2], a[3], a[4], a[5]);
}

// The function may call MPI again, which uses the context, so that all of it is read first.
static void serve_upcall(struct context *c) {
	uintptr_t function = c->upcall, args[UPCALL_ARGS];
	for (int i = 0; i < UPCALL_ARGS; i++)
		args[i] = c->upcall_args[i];
	c->upcall = 0;
	int64_t result = libmpi_upcall(function, args);
	c->op = OP_RETURN;
	c->result = result;
	libmpi_switch(c);
}

int64_t libmpi_call(int64_t op, const int64_t *args) {
	struct context *c = mine;
	if (__builtin_expect(c == NULL, 0))
		return call_by_cgo(op, args);
	c->op = op;
	c->args = (uintptr_t)args;
	libmpi_switch(c);
	while (__builtin_expect(c->upcall != 0, 0))
		serve_upcall(c);
	return c->result;
}
