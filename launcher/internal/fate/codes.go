package fate

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Exit codes that are not a rank's.
const (
	CodeError       = 1
	CodeMistake     = 2   // as getopt programs: of what the user has written, before anything is started
	CodeTimeout     = 124 // as timeout(1)
	codeDeadlock    = 125
	CodeNotRunnable = 126 // as the shell
	CodeNotFound    = 127 // as the shell
	CodeSignal      = 128 // plus the number of the signal
)

// Unfinished is the status of a rank whose status is not told to this process, and that has ended without Finalize. No
// status of the kernel is so: it would be that of a process that goes on.
const Unfinished = syscall.WaitStatus(0xffff)

func exitCode(status syscall.WaitStatus) int {
	if status == Unfinished {
		return CodeError
	}
	if status.Signaled() {
		return CodeSignal + int(status.Signal())
	}
	return status.ExitStatus()
}

// Describe says how a process ended.
func Describe(status syscall.WaitStatus) string {
	if status == Unfinished {
		return "has ended without Finalize, in C MPI_Finalize"
	}
	if !status.Signaled() {
		return fmt.Sprintf("exited with code %d", status.ExitStatus())
	}
	sig := status.Signal()
	core := ""
	if status.CoreDump() {
		core = ", core dumped"
	}
	return fmt.Sprintf("was killed by signal %d (%v, %s)%s", int(sig), sig, sys.SignalName(sig), core)
}

// Interrupted is the end of something by a signal that asked for it: of a job
// before it had a process, or of a context whose cause it is.
type Interrupted struct{ Signal syscall.Signal }

func (e Interrupted) Error() string { return "interrupted by " + sys.SignalName(e.Signal) }

// KillTime is how long killed processes have to vanish, unless they come nearer to their ends.
const KillTime = 10 * time.Second

// GraceTime is how long ranks have between the request to end and the kill.
const GraceTime = 2 * time.Second

// EndsWait reports whether a signal asks this process to end.
func EndsWait(sig os.Signal) bool {
	return sig == syscall.SIGINT || sig == syscall.SIGTERM || sig == syscall.SIGHUP
}
