package testkit

import (
	"os"
	"os/signal"
	"syscall"
)

// TakeSignals gives INT and HUP back to what tests start if they are ignored: under nohup, or in the background
// of a script. What a process catches has its default action in the processes that it starts. It is for
// TestMain, after the parts that are no tests.
func TakeSignals() {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}
