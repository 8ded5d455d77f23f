/* Threads, malloc, thread-local storage and constructors in an ordinary C
 * program; it must not notice that it is a task. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __thread int mine = 7;
static int constructed;
static char big[1 << 20]; /* bss */

__attribute__((constructor)) static void before(void) { constructed = 1; }
static void after(void) { puts("atexit"); }

static void *work(void *arg)
{
	long id = (long)arg;
	mine += (int)id;
	for (int i = 0; i < 2000; i++) {
		size_t n = 16 + (size_t)(i * 37 % 5000);
		unsigned char *p = malloc(n);
		memset(p, (int)id, n);
		if (p[n - 1] != id)
			abort();
		free(p);
	}
	return (void *)(long)mine;
}

int main(int argc, char **argv)
{
	pthread_t t[4];
	long sum = 0;
	atexit(after);
	for (long i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < 4; i++) {
		void *r;
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	char *large = malloc(64 << 20);
	large[(64 << 20) - 1] = 1;
	for (size_t i = 0; i < sizeof big; i += 4096)
		if (big[i])
			return 2;
	void *brk0 = sbrk(0);
	if (sbrk(4096) != (void *)-1 || sbrk(0) != brk0)
		return 3; /* the shared program break moved */
	printf("sum %ld constructed %d mine %d args %d %s\n", sum, constructed, mine, argc, argv[argc - 1]);
	return 0;
}
