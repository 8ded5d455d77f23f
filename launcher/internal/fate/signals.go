package fate

import (
	"os"
	"os/signal"
	"syscall"
)

// Catch catches those of the signals that are not ignored.
func Catch(signals ...os.Signal) (chan os.Signal, func()) {
	// For a burst: a signal that finds it full is dropped.
	c := make(chan os.Signal, 16)
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(c, sig)
		}
	}
	return c, func() { signal.Stop(c) }
}

// IgnoreEnds is for the processes that watch over a job. Slurm's scancel and a shutdown send
// TERM to all processes. The supervisor then decides the fate of the job. The
// signals are caught and not ignored, since ranks would inherit that. They do inherit what this
// process was started with.
func IgnoreEnds() {
	_, _ = Catch(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
}

// CatchPipe turns SIGPIPE for our own standard output, which would end this
// process in the middle of the job, into an error of the write.
func CatchPipe() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
