// The bounds of stacks.
//
// The runtime asks for those of a thread when the thread first calls Go, and whenever it is not within those that it
// knows. For the thread of main glibc finds them by reading /proc/self/maps up to the stack. In an address space that
// ranks share, that file lists the areas of all ranks: the start of a job would take time with the square of the ranks.
// So they are computed here: from where the stack began, down by as much as it may grow, or the usual size. A stack
// pointer below has unknown bounds. The runtime takes 32 KiB below it then, which are there, and asks in each call.
//
// Threads of the runtime have stacks of the size that the C library takes from RLIMIT_STACK. Where that is large, and
// memory is committed strictly or there is less than one such stack, they could not be made. So they take the usual
// size at most.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

enum { USUAL = 8 << 20 };

extern void *__libc_stack_end; // near the first word of the stack of main

int __real_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);

// The linker has the runtime call this instead (see main.go). The runtime has initialised attr,
// which then says that nothing is known.
__attribute__((visibility("hidden"))) int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
	if (!pthread_equal(thread, pthread_self()) || gettid() != getpid())
		return __real_pthread_getattr_np(thread, attr);
	struct rlimit most;
	if (getrlimit(RLIMIT_STACK, &most) != 0)
		return errno;
	size_t size = most.rlim_cur < USUAL ? most.rlim_cur : USUAL;
	return pthread_attr_setstack(attr, (char *)__libc_stack_end - size, size);
}

int __real_pthread_attr_init(pthread_attr_t *attr);

__attribute__((visibility("hidden"))) int __wrap_pthread_attr_init(pthread_attr_t *attr) {
	size_t size;
	int failed = __real_pthread_attr_init(attr);
	if (!failed && pthread_attr_getstacksize(attr, &size) == 0 && size > USUAL)
		failed = pthread_attr_setstacksize(attr, USUAL);
	return failed;
}
