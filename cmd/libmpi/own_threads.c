// How many threads the process has that this library and its runtime have not made. Where there is none but the calling
// one, a deadlock can be proved whatever the thread level (job.Prove).
//
// The linker has the runtime, and this library, call what is below in place of pthread_create (see main.go). A thread
// counts as made after it exists, and as ended before it does not: so until then it is taken for one of the program.
// If neither number changes while the kernel counts all threads, each of those that are ours is among them.

#define _GNU_SOURCE
#include "entry.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned made, ended;

struct start {
	void *(*function)(void *);
	void *argument;
};

static void end(void *unused) { __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST); }

static void *run(void *p) {
	struct start s = *(struct start *)p;
	void *result;
	free(p);
	pthread_cleanup_push(end, NULL);
	result = s.function(s.argument);
	pthread_cleanup_pop(1);
	return result;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*f)(void *), void *argument);

__attribute__((visibility("hidden"))) int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	void *(*f)(void *), void *argument) {
	struct start *s = malloc(sizeof *s);
	if (s == NULL)
		return __real_pthread_create(thread, attr, f, argument);
	*s = (struct start){f, argument};
	int failed = __real_pthread_create(thread, attr, run, s);
	if (failed)
		free(s);
	else
		__atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST);
	return failed;
}

int libmpi_other_threads(void) {
	enum { LINKS = 2 }; // of a folder beside those of its folders
	struct stat tasks;
	unsigned m = __atomic_load_n(&made, __ATOMIC_SEQ_CST), e = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
	if (stat("/proc/self/task", &tasks) != 0)
		return 1;
	if (m != __atomic_load_n(&made, __ATOMIC_SEQ_CST) || e != __atomic_load_n(&ended, __ATOMIC_SEQ_CST))
		return 1;
	return tasks.st_nlink != LINKS + (m - e) + 1;
}
