package job

import (
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// The Go runtime of a rank has a thread that looks after the others (sysmon). It sleeps 20 us between its
// first 50 looks, and begins again after the rank has slept. A CPU that the rank is bound to is then taken away
// every 70 us. With a larger timer slack it is every millisecond.
//
// A thread inherits its slack, and the monitor is started before any code of the program. So the launcher starts ranks
// with one, and the rank's first thread takes the kernel's usual slack again. Threads that the
// monitor starts keep the large one: their timers may be 1 ms late, about what Go's timers are anyway.
//
// Where a CPU has many ranks, their monitors would take it while ranks wait for one another: a barrier of 4,096 ranks
// on two CPUs took 50 changes of threads a rank. There a monitor looks once in a round, in which each rank has had its
// turn. So a wait that others end in that time wakes no thread but its own. Timers may be late by a round.
const (
	MonitorSlack = 1_000_000 // ns; those of many ranks are multiples of it. cmd/libmpi/monitor.c has it, too
	usualSlack   = 50_000

	many       = 32 // ranks a CPU
	leastRound = 10 * time.Millisecond
	turn       = 100 * time.Microsecond // several times what a rank takes to wake up, look, and sleep again
)

// init runs on the first thread of a Go program. In libmpi it runs on one of the runtime, whose slack stays.
func init() {
	if slack := sys.TimerSlack(); slack > 0 && slack%MonitorSlack == 0 {
		sys.SetTimerSlack(usualSlack)
	}
}

// MonitorSlackOf is the slack to start with in a job of so many ranks on so many CPUs.
func MonitorSlackOf(ranks, cpus int) int {
	return int(max(MonitorSlack, round(ranks, cpus).Truncate(MonitorSlack)))
}

// round is how long short turns of all ranks take; 0 where they are few.
func round(ranks, cpus int) time.Duration {
	each := ranks / max(cpus, 1)
	if each < many {
		return 0
	}
	return max(time.Duration(each)*turn, leastRound)
}

// StartWithMonitorSlack gives that slack to what the calling thread starts from now on.
func StartWithMonitorSlack(slack int) {
	if sys.TimerSlack() == usualSlack {
		sys.SetTimerSlack(slack)
	}
}
