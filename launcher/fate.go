package launcher

import (
	"fmt"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
)

// A Failure is the first rank that did not end with exit code 0, or that joined the job and ended without
// Finalize.
type Failure struct {
	Rank    int
	Pid     int
	Program string // as the user gave it
	Status  syscall.WaitStatus
}

// Code returns the exit code of the rank, 128 + signal if it was killed; 1 if it only lacks Finalize.
func (f *Failure) Code() int {
	if code := exitCode(f.Status); code != 0 {
		return code
	}
	return codeError
}

// String says which rank failed and how.
func (f *Failure) String() string {
	return fmt.Sprintf("rank %d (pid %d, %s) %s", f.Rank, f.Pid, f.Program, f.how())
}

func (f *Failure) how() string {
	if exitCode(f.Status) != 0 {
		return describe(f.Status)
	}
	return describe(f.Status) + " after Init and without Finalize, in C MPI_Finalize: others may wait for it"
}

// A fate decides what becomes of the job. It is told every event and acts
// through its effects; it neither waits nor knows about processes, and is used
// by one goroutine.
//
//	running --failure, time-out, closed output--> ending --grace over--> killed
//	   |                                                                   ^
//	   +--second interrupt, host died, cancelled---------------------------+
//
// The cause that leaves "running" sets the exit code; later ones do not change
// it, because they are its consequences.
type fate struct {
	effects
	hostname string

	// starting is true until every rank has been started. A signal that asks for
	// an end then is none for ranks to handle: the job they belong to is not
	// complete and will not be.
	starting bool

	code    int
	failure *Failure
	ending  bool
	killed  bool
	// asked is the last forwarded signal that usually ends a program: ranks that
	// end after it did so at the user's wish.
	asked      syscall.Signal
	interrupts int

	quiet bool // the leader of the nodes says which rank has failed
}

// effects are the actions of a fate. Messages come after signals: a reader of Stderr
// that has stopped reading must not keep a job from being ended.
type effects struct {
	alive  func() int           // ranks that have been started and not reaped
	signal func(syscall.Signal) // to the process groups of those ranks
	grace  func(time.Duration)  // call graceOver after that time
	say    func(format string, args ...any)
}

// end asks the remaining ranks to end.
func (f *fate) end(code int) {
	if f.ending || f.killed {
		return
	}
	f.ending, f.code = true, code
	// A stopped process does not handle TERM until it is continued.
	f.signal(syscall.SIGTERM)
	f.signal(syscall.SIGCONT)
	f.grace(graceTime)
}

// kill ends the remaining ranks at once.
func (f *fate) kill(code int) {
	if !f.ending && !f.killed {
		f.code = code
	}
	f.killed = true
	f.signal(syscall.SIGKILL)
}

// fresh gives a rank that appears while the job is ending the signals that the others had.
func (f *fate) fresh(signal func(syscall.Signal)) {
	switch {
	case f.killed:
		signal(syscall.SIGKILL)
	case f.ending:
		signal(syscall.SIGTERM)
	}
}

// rankEnded is told when a rank has been reaped, and how far it had come; alive no longer counts it.
func (f *fate) rankEnded(rank, pid int, program string, status syscall.WaitStatus, state job.State) {
	well := exitCode(status) == 0
	if f.ending || f.killed || well && (state != job.StateInit || f.asked != 0) {
		return
	}
	if f.asked != 0 {
		f.end(codeSignal + int(f.asked))
		return
	}
	f.failure = &Failure{Rank: rank, Pid: pid, Program: program, Status: status}
	f.end(f.failure.Code())
	if !f.quiet {
		f.say("rank %d (pid %d, %s) on %s %s%s", rank, pid, program, f.hostname, f.failure.how(), f.others())
	}
}

// allEnded is told when no rank is left, with what they have noted in the root block.
func (f *fate) allEnded(root *job.Root) {
	if f.ending || f.killed || f.quiet {
		return
	}
	if odd := describeLeftOut(root); odd != "" {
		f.code = codeError
		f.say("%s", odd)
	}
}

// others says what happens to the other ranks, if there are any left.
func (f *fate) others() string {
	switch n := f.alive(); n {
	case 0:
		return ""
	case 1:
		return "; ending the other rank"
	default:
		return fmt.Sprintf("; ending the other %d ranks", n)
	}
}

// received forwards a signal. The second interrupt kills.
func (f *fate) received(sig syscall.Signal) {
	switch sig {
	case syscall.SIGINT:
		f.interrupts++
		if f.interrupts > 1 {
			f.kill(codeSignal + int(sig))
			f.say("second interrupt: %s", f.doing("killing"))
			return
		}
		f.asked = sig
	case syscall.SIGTERM, syscall.SIGHUP:
		f.asked = sig
	}
	f.signal(sig)
	if f.starting && f.asked == sig {
		f.end(codeSignal + int(sig))
	}
}

func (f *fate) timedOut(after time.Duration) {
	f.end(codeTimeout)
	f.say("time-out after %v: %s", after, f.doing("ending"))
}

// graceOver is called when the time to end in an orderly way is over.
func (f *fate) graceOver() { f.kill(f.code) }

// rankLost is told when a rank has ended whose status this process did not get.
func (f *fate) rankLost(rank, pid int, program string) {
	f.end(codeError)
	f.say("rank %d (pid %d, %s) on %s has ended, how is not known: its status was taken by a wait "+
		"elsewhere in this process%s",
		rank, pid, program, f.hostname, f.others())
}

// hostDied is told when the space host ended before the ranks. In one address
// space nothing watches over the ranks' memory any more; in both models nothing
// would clean up after the supervisor. A code of the host is never that of the
// job: it would be taken for that of a rank, or for a mistake on the command line.
func (f *fate) hostDied(pid int, status syscall.WaitStatus) {
	code := codeError
	if status.Signaled() {
		code = exitCode(status)
	}
	f.kill(code)
	f.say("the space host (pid %d) on %s %s; %s", pid, f.hostname, describe(status), f.doing("killing"))
}

// outputFailed is told when Stdout takes no more.
func (f *fate) outputFailed(err error) {
	if isClosedPipe(err) {
		f.end(codeSignal + int(syscall.SIGPIPE)) // in silence, as any program in a pipeline
		return
	}
	f.end(codeError)
	f.say("write output: %v; %s", err, f.doing("ending"))
}

// doing says what is done to the ranks that live.
func (f *fate) doing(what string) string {
	switch n := f.alive(); n {
	case 0:
		return "no rank was running"
	case 1:
		return what + " 1 rank"
	default:
		return fmt.Sprintf("%s %d ranks", what, n)
	}
}

// deadlocked is told that a deadlock was proved, and reported.
func (f *fate) deadlocked() {
	f.end(codeDeadlock)
	f.say("deadlock: %s (--deadlock=report lets them wait)", f.doing("ending"))
}
