package launcher

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/gopvas/gopvas/internal/sys"
)

// ForwardedSignals begins to catch signals, for Job.Signals. A process manager passes
// INT, TERM, HUP, USR1, USR2 and CONT on to the ranks. At QUIT it prints what each rank
// waits for, and at TSTP the job pauses. stop ends the catching. INT, HUP and TSTP stay
// ignored where they are: in the background of a shell script and under nohup.
func ForwardedSignals() (signals <-chan os.Signal, stop func()) {
	return catch([]os.Signal{syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT, syscall.SIGQUIT},
		syscall.SIGINT, syscall.SIGHUP, syscall.SIGTSTP)
}

// OwnSignals is ForwardedSignals for a program that ends jobs by their context: it catches
// those only that are not passed on, QUIT and TSTP, and CONT.
func OwnSignals() (signals <-chan os.Signal, stop func()) {
	return catch([]os.Signal{syscall.SIGQUIT, syscall.SIGCONT}, syscall.SIGTSTP)
}

// catch catches signals, and those of unlessIgnored that are not ignored.
func catch(signals []os.Signal, unlessIgnored ...os.Signal) (<-chan os.Signal, func()) {
	// For a burst: a signal that finds it full is dropped.
	c := make(chan os.Signal, 16)
	for _, sig := range unlessIgnored {
		if !signal.Ignored(sig) {
			signals = append(signals, sig)
		}
	}
	if len(signals) > 0 {
		signal.Notify(c, signals...)
	}
	return c, func() { signal.Stop(c) }
}

// stopSelf stops this process until it is continued, as the default action of TSTP does. In an orphaned process group, where nobody
// would continue it, the kernel does not stop it. Neither does stopSelf if a CONT has come by now: between the TSTP that was caught
// and the stop, that ends nothing. It returns the other signals that have come, which the caller has to handle.
func stopSelf(signals <-chan os.Signal) (others []os.Signal, err error) {
	others, continued := takeAll(signals, syscall.SIGCONT)
	if !continued && !sys.TakePending(syscall.SIGCONT) {
		err = sys.RaiseDefault(syscall.SIGTSTP)
	}
	return others, err
}

// takeAll takes all signals that have come, and tells whether one of them was there, which it leaves out. Go's runtime hands over
// signals that have come together in the order of their numbers: a CONT before the TSTP that it was to end.
func takeAll(signals <-chan os.Signal, one syscall.Signal) (others []os.Signal, there bool) {
	settled := make(chan os.Signal, 1)
	signal.Notify(settled, syscall.SIGCONT)
	signal.Stop(settled) // returns when the runtime has handed over all that has come
	for {
		select {
		case sig := <-signals:
			if sig == one {
				there = true
			} else {
				others = append(others, sig)
			}
		default:
			return others, there
		}
	}
}

// ignoreEnds is for the processes that watch over a job. Slurm's scancel and a shutdown send
// TERM to all processes. The supervisor then decides the fate of the job. The
// signals are caught and not ignored, since ranks would inherit that.
func ignoreEnds() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
}

// catchPipe turns SIGPIPE for our own standard output, which would end this
// process in the middle of the job, into an error of the write.
func catchPipe() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
