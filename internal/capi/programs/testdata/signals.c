/* The library leaves signals to the program, but for fatal ones, of which it tells until the program handles them. */
#define _GNU_SOURCE
#include "program.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int reported(int s) {
	return s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL || s == SIGABRT;
}

static void default_dispositions(int initialised) {
	for (int s = 1; s < 32; s++) {
		struct sigaction a;
		if (s != SIGKILL && s != SIGSTOP && sigaction(s, NULL, &a) == 0 &&
			(a.sa_handler != SIG_DFL) != (initialised && reported(s))) {
			fprintf(stderr, "signal %d has another handler than expected\n", s);
			exit(77);
		}
	}
}

static sigjmp_buf after;
static volatile int *nowhere;
static volatile int counts;
static void counted(int s) { (void)s, counts++; }
static volatile long ticks;

/* needy needs a stack of 120 KiB, of which all is written. */
static void needy(int s) {
	char large[120 << 10];
	memset(large, s, sizeof large);
	__asm__ volatile("" : : "r"(large) : "memory");
	ticks++;
}

/* within_calls has handlers that run within calls, on whatever stack there is. */
static void within_calls(void) {
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	signal(SIGALRM, needy);
	CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
	for (long sum = 0; sum < 400L * size;) { /* all go on until each has had some */
		long mine = ticks < 400 ? ticks : 400;
		OK(MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
		for (int i = 0; i < 100; i++)
			ring();
	}
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static void caught(int s) { siglongjmp(after, s); }

int main(void) {
	sigset_t none, now;
	double start;
	default_dispositions(0);
	join(MPI_THREAD_SINGLE);
	default_dispositions(1);
	sigemptyset(&none);
	CHECK(sigprocmask(SIG_SETMASK, NULL, &now) == 0 && memcmp(&now, &none, 8) == 0);
	struct sigaction handles = {.sa_handler = counted}; /* as PETSc does; its system calls end by the signal */
	CHECK(sigaction(SIGURG, &handles, NULL) == 0);
	for (int i = 0; i < 5; i++) {
		/* Long enough for the runtime to ask for the thread; nothing must be interrupted. */
		struct timespec pause = {0, 30 * 1000 * 1000};
		CHECK(nanosleep(&pause, NULL) == 0);
		start = MPI_Wtime();
		while (MPI_Wtime() < start + 0.02)
			;
		CHECK(nanosleep(&pause, NULL) == 0);
		ring();
	}
	CHECK(counts == 0);
	within_calls();
	signal(SIGSEGV, caught);
	for (int i = 0; i < 3; i++) {
		if (sigsetjmp(after, 1) == 0) {
			*nowhere = 1;
			CHECK(!"a fault has no effect");
		}
		ring();
	}
	OK(MPI_Finalize());
	return 0;
}
