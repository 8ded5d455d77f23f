/* Rank 1 gets a fatal signal of the kind that the argument names, in a function that is named for it. */
#include "program.h"
#include <pthread.h>
#include <signal.h>

static volatile int *volatile nowhere = (int *)0x10;
static volatile int zero;
static void (*volatile no_function)(void);

__attribute__((noinline)) static int store_nowhere(void) {
	*nowhere = 1; /* the fault */
	return zero;
}

__attribute__((noinline)) static int divide_by_zero(void) {
	zero = 100 / zero; /* the division */
	return zero;
}

__attribute__((noinline)) static int deep(int n) {
	volatile char frame[1 << 16];
	frame[n % (1 << 16)] = 1; /* the recursion */
	return deep(n + 1) + frame[0]; /* deeper */
}

__attribute__((noinline)) static int send_nowhere(void) {
	int result = MPI_Send((void *)((uintptr_t)1 << 46), 1 << 20, MPI_CHAR, 0, 5, MPI_COMM_WORLD); /* the call */
	return result + zero;
}

__attribute__((noinline)) static int call_nothing(void) {
	no_function(); /* nobody */
	return zero;
}

__attribute__((noinline)) static int give_up(void) {
	abort(); /* the end */
	return zero;
}

#ifdef __x86_64__
#define NAKED naked
#define STORE "movl $1, 0x10; ret"
#define TRAP "ud2; ret"
#else
#define NAKED unused
#define STORE "mov x9, 0x10; str xzr, [x9]"
#define TRAP "udf 0"
#endif

/* The first instruction of the function faults. */
__attribute__((noinline, NAKED)) static int store_first(void) {
	__asm__(STORE); /* the first */
}

__attribute__((noinline)) static int store_far(void) {
	*(volatile int *)0x8000000000000010 = 1; /* not canonical */
	return zero;
}

static void interrupted(int number) {
	(void)number;
	store_nowhere();
}

/* The handler of a signal, which comes at the first instruction of a function, faults. */
__attribute__((noinline, NAKED)) static int trap_first(void) {
	__asm__(TRAP); /* the trap */
}

static int trap(void) {
	signal(SIGILL, interrupted);
	return trap_first() + zero;
}

static void *in_thread(void *unused) {
	(void)unused;
	store_nowhere();
	return NULL;
}

/* reduce_nowhere has one rank give a bad buffer. Others read it. */
static void reduce_nowhere(void) {
	static char own[1 << 20], all[1 << 20];
	OK(MPI_Allreduce(rank ? (void *)((uintptr_t)1 << 46) : own, all, sizeof all, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD));
}

/* read_peer reads below the stack of rank 0, whose partition has reserved memory there. */
__attribute__((noinline)) static int read_peer(void) {
	char *stack = (char *)&stack;
	OK(MPI_Recv(&stack, sizeof stack, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (;; stack -= 4096)
		zero = *(volatile char *)stack;
}

__attribute__((noinline)) static int end(const char *how) {
	pthread_t thread;
	switch (how[0]) {
	case 's':
		return store_nowhere();
	case 'd':
		return divide_by_zero();
	case 'r':
		return deep(0);
	case 'm':
		return send_nowhere();
	case 'n':
		return call_nothing();
	case 'f':
		return store_first();
	case 'c':
		return store_far();
	case 'i':
		return trap();
	case 'a':
		return give_up();
	case 'p':
		return read_peer();
	case 't':
		pthread_create(&thread, NULL, in_thread, NULL);
		return pthread_join(thread, NULL);
	}
	return 0;
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	if (argc > 1 && strcmp(argv[1], "own") == 0)
		end("s");
	if (rank == 0 && argc > 1 && strcmp(argv[1], "m") == 0)
		OK(MPI_Recv(malloc(1 << 20), 1 << 20, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (argc > 1 && strcmp(argv[1], "buffer") == 0)
		reduce_nowhere();
	if (rank == 0 && argc > 1 && strcmp(argv[1], "peer") == 0) {
		char *own = (char *)&argc;
		OK(MPI_Send(&own, sizeof own, MPI_BYTE, 1, 6, MPI_COMM_WORLD));
	}
	if (rank == 1 && argc > 1)
		end(argv[1]);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Finalize());
	return 0;
}
