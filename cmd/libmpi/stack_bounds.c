// The bounds of stacks.
//
// The runtime asks for those of a thread when the thread first calls Go, and whenever it comes
// on another stack. For the thread of main glibc finds them by reading /proc/self/maps up to
// the stack. In an address space that ranks share, that file lists the areas of all ranks: the
// start of a job would take time with the square of the ranks. The runtime does not need the
// bounds. Without them it takes 32 KiB below the stack pointer, which are there.

//
// Threads of the runtime have stacks of the size that the C library takes from RLIMIT_STACK. Where that is large, and
// memory is committed strictly or there is less than one such stack, they could not be made. So they take the usual
// size at most.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

int __real_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);

// The linker has the runtime call this instead (see main.go). The runtime has initialised attr,
// which then says that nothing is known.
__attribute__((visibility("hidden"))) int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
	if (pthread_equal(thread, pthread_self()) && gettid() == getpid())
		return ENOTSUP;
	return __real_pthread_getattr_np(thread, attr);
}

int __real_pthread_attr_init(pthread_attr_t *attr);

__attribute__((visibility("hidden"))) int __wrap_pthread_attr_init(pthread_attr_t *attr) {
	enum { USUAL = 8 << 20 };
	size_t size;
	int failed = __real_pthread_attr_init(attr);
	if (!failed && pthread_attr_getstacksize(attr, &size) == 0 && size > USUAL)
		failed = pthread_attr_setstacksize(attr, USUAL);
	return failed;
}
