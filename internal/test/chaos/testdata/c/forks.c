/* A rank program of the chaos driver that knows nothing of the runtime: it forks
   without exec, leaves one child behind, and has others come and go. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	if (fork() == 0)
		for (;;)
			pause();
	for (;;) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		usleep(1000);
	}
}
