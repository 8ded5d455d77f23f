package launcher

import (
	"os"
	"syscall"

	"github.com/gopvas/gopvas/launcher/internal/fate"
)

// ForwardedSignals begins to catch signals, for Job.Signals. A process manager passes
// INT, TERM, HUP, USR1, USR2 and CONT on to the ranks. At QUIT it prints what each rank
// waits for, and at TSTP the job pauses. stop ends the catching. INT, HUP and TSTP stay
// ignored where they are: in the background of a shell script and under nohup. Ranks then ignore
// them, too, as all that such a command starts.
func ForwardedSignals() (signals chan os.Signal, stop func()) {
	return fate.Catch(syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT, syscall.SIGQUIT,
		syscall.SIGINT, syscall.SIGHUP, syscall.SIGTSTP)
}

// OwnSignals is ForwardedSignals for a program that ends jobs by their context: it catches
// those only that are not passed on, QUIT and TSTP.
func OwnSignals() (signals <-chan os.Signal, stop func()) {
	return fate.Catch(syscall.SIGQUIT, syscall.SIGTSTP)
}
