// Signals.
//
// When the library is loaded the Go runtime installs handlers for faults (SIGSEGV, SIGBUS,
// SIGFPE), SIGPIPE and SIGURG. They are put back at once: C must die of a fault as it would
// without Go, and SIGURG would interrupt its system calls. What the program installs
// later is not touched.
//
// The runtime installs its handlers in a constructor without priority. A constructor with a
// priority runs before it. One without runs after it, since the linker keeps the order of the
// objects, and Go's is the first. A test holds that.
//
// While MPI_Init runs, the runtime's handlers for faults are in force. MPI_Init reads addresses
// that the environment names, and a fault there becomes an error.

#define _GNU_SOURCE
#include "entry.h"
#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGPIPE, SIGURG};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static struct sigaction program[SIGNALS], runtime[SIGNALS];

static void change(struct sigaction *save, const struct sigaction *set) {
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], set ? &set[i] : NULL, &save[i]);
}

__attribute__((constructor(101))) static void before_go(void) { change(program, NULL); }
__attribute__((constructor)) static void after_go(void) { change(runtime, program); }

void libmpi_go_signals(void) { change(program, runtime); }
void libmpi_c_signals(void) { change(runtime, program); }
