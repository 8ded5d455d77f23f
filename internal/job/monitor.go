package job

import "github.com/gopvas/gopvas/internal/sys"

// The Go runtime of a rank has a thread that looks after the others (sysmon). It sleeps 20 us between its
// first 50 looks, and begins again after the rank has slept. A CPU that the rank is bound to is then taken away
// every 70 us. With a larger timer slack it is every millisecond.
//
// A thread inherits its slack, and the monitor is started before any code of the program. So the launcher starts ranks
// with MonitorSlack, and the rank's first thread takes the kernel's usual slack again. Threads that the
// monitor starts keep the large one: their timers may be 1 ms late, about what Go's timers are anyway.
const (
	MonitorSlack = 1_000_000 // ns; cmd/libmpi/monitor.c has it, too
	usualSlack   = 50_000
)

// init runs on the first thread of a Go program. In libmpi it runs on one of the runtime, whose slack stays.
func init() {
	if sys.TimerSlack() == MonitorSlack {
		sys.SetTimerSlack(usualSlack)
	}
}

// StartWithMonitorSlack gives MonitorSlack to what the calling thread starts from now on.
func StartWithMonitorSlack() {
	if sys.TimerSlack() == usualSlack {
		sys.SetTimerSlack(MonitorSlack)
	}
}
