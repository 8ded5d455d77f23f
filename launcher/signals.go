package launcher

import (
	"os"
	"os/signal"
	"syscall"
)

// ForwardedSignals begins to catch the signals that a process manager passes on
// to the ranks (INT, TERM, HUP, USR1, USR2, CONT), for Job.Signals, QUIT, at
// which it prints what each rank waits for, and TSTP, at which the job pauses. stop
// ends it. INT, HUP and TSTP stay ignored where they are: in the background of a
// shell script and under nohup.
func ForwardedSignals() (signals <-chan os.Signal, stop func()) {
	// Room for a burst: a signal that finds it full is dropped.
	c := make(chan os.Signal, 16)
	caught := []os.Signal{syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT, syscall.SIGQUIT}
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTSTP} {
		if !signal.Ignored(sig) {
			caught = append(caught, sig)
		}
	}
	signal.Notify(c, caught...)
	return c, func() { signal.Stop(c) }
}

// catchPipe turns SIGPIPE for our own standard output, which would end this
// process in the middle of the job, into an error of the write.
func catchPipe() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
