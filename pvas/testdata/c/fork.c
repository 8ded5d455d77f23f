/* fork without exec in a task: both sides go on with memory of their own. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int value = 1;

int main(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		value = 2;
		_exit(value);
	}
	int status;
	waitpid(pid, &status, 0);
	printf("child %d parent %d\n", WEXITSTATUS(status), value);
	return 0;
}
