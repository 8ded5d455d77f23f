/* Starts other programs in the ways that C has. */
#include "program.h"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(void) {
	int status;
	pid_t child;
	char line[100] = "", *args[] = {"true", NULL};
	join(MPI_THREAD_SINGLE);
	ring();
	for (int i = 0; i < 3; i++) {
		child = fork();
		CHECK(child >= 0);
		if (child == 0) {
			execlp("sh", "sh", "-c", "exit 3", (char *)NULL);
			_exit(99);
		}
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		CHECK(system("exit 4") == 4 << 8);
		FILE *pipe = popen("echo $((1 + 1))", "r");
		CHECK(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "2\n") == 0);
		CHECK(pclose(pipe) == 0);
		CHECK(posix_spawnp(&child, "true", NULL, NULL, args, environ) == 0);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		ring();
	}
	child = fork(); /* and without exec */
	if (child == 0)
		_exit(rank & 1);
	CHECK(waitpid(child, &status, 0) == child && status == (rank & 1) << 8);
	ring();
	child = fork(); /* is no rank */
	if (child == 0) {
		CHECK(freopen("/dev/null", "w", stderr));
		MPI_Barrier(MPI_COMM_WORLD);
		_exit(99);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 1 << 8);
	ring();
	OK(MPI_Finalize());
	return 0;
}
