package job

import "github.com/gopvas/gopvas/internal/sys"

// The Go runtime of a rank has a thread that looks after the others (sysmon). It sleeps 20 us between its
// first 50 looks, and begins again after the rank has slept. A CPU that the rank is bound to is then taken away
// every 70 us. With a larger timer slack it is every millisecond.
//
// A thread inherits its slack, and the monitor is started before any code of the program. So the launcher starts ranks
// with one, and the rank's first thread takes the kernel's usual slack again. Threads that the
// monitor starts keep the large one: their timers may be 1 ms late, about what Go's timers are anyway.
//
// Where a CPU has many ranks, their monitors together would take a good part of it while ranks wait for it. They look
// less often, and timers may be later: that is less than a rank waits for its turn.
const (
	MonitorSlack = 1_000_000 // ns; cmd/libmpi/monitor.c has these, too
	CrowdSlack   = 10_000_000
	usualSlack   = 50_000

	crowd = 32 // ranks a CPU
)

// init runs on the first thread of a Go program. In libmpi it runs on one of the runtime, whose slack stays.
func init() {
	if slack := sys.TimerSlack(); slack == MonitorSlack || slack == CrowdSlack {
		sys.SetTimerSlack(usualSlack)
	}
}

// MonitorSlackOf is the slack to start with in a job of so many ranks on so many CPUs.
func MonitorSlackOf(ranks, cpus int) int {
	if ranks >= crowd*max(cpus, 1) {
		return CrowdSlack
	}
	return MonitorSlack
}

// StartWithMonitorSlack gives that slack to what the calling thread starts from now on.
func StartWithMonitorSlack(slack int) {
	if sys.TimerSlack() == usualSlack {
		sys.SetTimerSlack(slack)
	}
}
