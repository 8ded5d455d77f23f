package fate

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// Exit codes that are not a rank's.
const (
	CodeError       = 1
	CodeTimeout     = 124 // as timeout(1)
	codeDeadlock    = 125
	CodeNotRunnable = 126 // as the shell
	CodeNotFound    = 127 // as the shell
	CodeSignal      = 128 // plus the number of the signal
)

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return CodeSignal + int(status.Signal())
	}
	return status.ExitStatus()
}

// Describe says how a process ended.
func Describe(status syscall.WaitStatus) string {
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

// The goroutine of Run waits in one place, next. That ends at every event: the
// end of a child, of the grace time, of ctx, or of a call that the goroutine has begun; a
// signal; the time-out; an output that takes no more. The goroutine therefore makes
// no call that may block. Such a call is a request to the host, the start of a
// program, a hold, or the last output. It runs on a goroutine of its own (during,
// await), and a message in a queue.
//
//	          next <---- SIGCHLD, signals, timers, ctx, output
//	start:    await(host) -> await(BTL) -> await(memory) -> await(rank 0) -> ...
//	run:      serve until no rank lives
//	sweep:    kill and reap the processes left, for KillTime at most
//	finish:   during(drain); INT, TERM and HUP end it.
//
// When the fate of the job has been decided, nothing more is begun. Requests to the
// host end as soon as no rank needs time to end: await returns host.ErrOver.
// Killed processes have KillTime to vanish.
const KillTime = 10 * time.Second

// graceTime is how long ranks have between the request to end and the kill.
const graceTime = 2 * time.Second

// EndsWait reports whether a signal asks this process to end.
func EndsWait(sig os.Signal) bool {
	return sig == syscall.SIGINT || sig == syscall.SIGTERM || sig == syscall.SIGHUP
}
