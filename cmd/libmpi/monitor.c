// The runtime's monitor (sysmon; package job, monitor.go, tells why its timer slack is large).
//
// Here it is larger than in Go programs: the one goroutine that runs is never to be interrupted, and the program
// has no timers of Go. With many ranks on a CPU it is that of the launcher, which is larger still: each of
// the launcher's is a multiple of LAUNCHER_SLACK. The thread that loads the library
// has the slack while the runtime starts, and then the usual one again. The order of the constructors is that of
// signals.c.

#include <sys/prctl.h>

enum { MONITOR_SLACK = 4000000, LAUNCHER_SLACK = 1000000, USUAL_SLACK = 50000 }; // ns

static int slack;

static int launchers(void) { return slack > 0 && slack % LAUNCHER_SLACK == 0; }

__attribute__((constructor(101))) static void before_go(void) {
	slack = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, launchers() && slack > MONITOR_SLACK ? slack : MONITOR_SLACK);
}

__attribute__((constructor)) static void after_go(void) {
	prctl(PR_SET_TIMERSLACK, launchers() ? USUAL_SLACK : slack);
}
