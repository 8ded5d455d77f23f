// A rank in one address space leaves it when the program ends. It executes another program, which ends with the same
// code: package exit tells why.
//
// Nothing of the program may come after that. Handlers of exit run from the last to the first. The C library adds that
// which calls all destructors of libraries before main, but after the constructors of libraries that were loaded with
// the program. A handler of on_exit, which unlike those of atexit is no library's, and which a constructor adds, runs
// after all of them. Then exit only flushes files and ends the process: fcloseall is what it calls for the files.
//
// Where this library was opened by dlopen its handler comes before its destructor: the process ends where it is.

#define _GNU_SOURCE
#include "entry.h"
#include "_cgo_export.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10 // since Linux 6.3: before, all such files can be executed
#endif

static pid_t rank; // the process that shares its memory, 0: none
static int destroyed;
static const void *image; // of the other program
static size_t size;

// This thread can call Go here, but not at the end: it may have the coroutine then.
void libmpi_leave_at_end(void) {
	image = (const void *)libmpiImage(&size);
	rank = getpid();
}

// program is the file of the other program, -1: it is not to be had.
static int program(void) {
	int file = memfd_create("pvas-end", MFD_CLOEXEC | MFD_EXEC);
	if (file < 0)
		file = memfd_create("pvas-end", MFD_CLOEXEC);
	return file < 0 || write(file, image, size) == (ssize_t)size ? file : -1;
}

static void leave(int status, void *unused) {
	(void)unused;
	if (!destroyed || rank == 0 || getpid() != rank) // the last: the child of a fork, which has memory of its own
		return;
	fcloseall();
	char *args[257], *none = NULL;
	int last = status & 255, file = program();
	for (int i = 0; i <= last; i++)
		args[i] = "";
	args[last + 1] = NULL;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	syscall(SYS_execveat, file, "", args, &none, AT_EMPTY_PATH); // if it fails, exit goes on
}

__attribute__((constructor(101))) static void begin(void) { on_exit(leave, NULL); }
__attribute__((destructor)) static void end(void) { destroyed = 1; }
