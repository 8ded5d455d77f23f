// The end of a rank: ends CODE. All that the C library does at exit happens, then the rank leaves its address space. A
// child of rank 0 sees that as a tracer. It prints "cannot trace" where that is not permitted.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *text) {
	if (write(1, text, strlen(text)) < 0)
		_exit(99);
}

// watch traces its parent until that executes a program or ends.
static void watch(pid_t parent, int ready) {
	int status;
	if (ptrace(PTRACE_SEIZE, parent, 0, PTRACE_O_TRACEEXEC) < 0) {
		say("cannot trace\n");
		_exit(0);
	}
	close(ready);
	while (waitpid(parent, &status, __WALL) == parent && WIFSTOPPED(status)) {
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			say("left\n");
			ptrace(PTRACE_DETACH, parent, 0, 0);
			_exit(0);
		}
		ptrace(PTRACE_CONT, parent, 0, WSTOPSIG(status));
	}
	say("ended\n");
	_exit(0);
}

static void handler(void) { printf("handler\n"); }
__attribute__((destructor)) static void destructor(void) { printf("destructor\n"); }

int main(int argc, char **argv) {
	int rank, ready[2];
	char c;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank != 0) {
		MPI_Finalize();
		fclose(stdout);
		return 0;
	}
	if (pipe(ready) < 0)
		return 98;
	pid_t self = getpid(), child = fork();
	if (child == 0) {
		close(ready[0]);
		watch(self, ready[1]);
	}
	prctl(PR_SET_PTRACER, child, 0, 0, 0);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 0)
		return 97;
	atexit(handler);
	MPI_Finalize();
	printf("main\n"); // is in the buffer until the end
	return atoi(argv[1]);
}
