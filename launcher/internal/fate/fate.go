package fate

import (
	"cmp"
	"fmt"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/output"
)

// A Failure is the first rank that failed: its exit code is not 0, or it joined the job and ended without Finalize, or
// it ended the job by Abort, with whatever code.
type Failure struct {
	Rank    int
	Pid     int
	Program string // as the user gave it
	Status  syscall.WaitStatus
	State   job.State
}

// Code returns the exit code of the rank, 128 + signal if it was killed; 1 if it only lacks Finalize.
func (f *Failure) Code() int {
	if code := exitCode(f.Status); code != 0 || f.State == job.StateAborted {
		return code
	}
	return CodeError
}

// String says which rank failed and how.
func (f *Failure) String() string {
	return fmt.Sprintf("rank %d (pid %d, %s) %s", f.Rank, f.Pid, f.Program, f.how())
}

func (f *Failure) how() string {
	switch {
	case exitCode(f.Status) != 0:
		return Describe(f.Status)
	case f.State == job.StateAborted:
		return Describe(f.Status) + " by Abort, in C MPI_Abort"
	}
	return Describe(f.Status) +
		" after Init and without Finalize, in C MPI_Finalize or MPI_Session_finalize: others may wait for it"
}

// A Fate decides what becomes of the job. It is told every event and acts through its effects. It neither waits nor
// knows about processes, and is used by one goroutine.
//
//	running --failure, time-out, closed output--> ending --grace over--> killed
//	   |                                                                   ^
//	   +--second interrupt, host died, cancelled---------------------------+
//
// The cause that leaves "running" sets the exit code; later ones do not change
// it, because they are its consequences.
type Fate struct {
	Effects
	Hostname string

	// starting is true until every rank has been started. A signal that asks for
	// an end then is none for ranks to handle: the job they belong to is not
	// complete and will not be.
	Starting bool

	Code    int
	Failure *Failure
	Ending  bool
	Killed  bool
	// asked is the last forwarded signal that usually ends a program: ranks that
	// end after it did so at the user's wish.
	asked      syscall.Signal
	Interrupts int

	Quiet bool // the leader of the nodes says which rank has failed

	// Survive says that the job goes on without ranks that fail. Strict says that its code is that of the first one.
	Survive, Strict bool
	well            int // ranks that have called Finalize, or are no ranks of MPI and have ended with 0
}

// Effects are the actions of a fate. Messages come after signals: a reader of Stderr
// that has stopped reading must not keep a job from being ended.
type Effects struct {
	Alive  func() int           // ranks that have been started and not reaped
	Signal func(syscall.Signal) // to the process groups of those ranks
	Grace  func(time.Duration)  // call GraceOver after that time
	Say    func(format string, args ...any)
}

// End asks the remaining ranks to end.
func (f *Fate) End(code int) {
	if f.Ending || f.Killed {
		return
	}
	f.Ending, f.Code = true, code
	// A stopped process does not handle TERM until it is continued.
	f.Signal(syscall.SIGTERM)
	f.Signal(syscall.SIGCONT)
	f.Grace(GraceTime)
}

// Kill ends the remaining ranks at once.
func (f *Fate) Kill(code int) {
	if !f.Ending && !f.Killed {
		f.Code = code
	}
	f.Killed = true
	f.Signal(syscall.SIGKILL)
}

// LeftBehind is told that a process was killed and does not end: no job has succeeded that leaves one behind.
func (f *Fate) LeftBehind() {
	if f.Code == 0 {
		f.Code = CodeError
	}
}

// Fresh gives a rank that appears while the job is ending the signals that the others had.
func (f *Fate) Fresh(signal func(syscall.Signal)) {
	switch {
	case f.Killed:
		signal(syscall.SIGKILL)
	case f.Ending:
		signal(syscall.SIGTERM)
	}
}

// Named names a rank with its program and node, and says how it has ended.
func (f *Fate) Named(rank, pid int, program, how string) string {
	return fmt.Sprintf("rank %d (pid %d, %s) on %s %s", rank, pid, program, f.Hostname, how)
}

// RankEnded is told when a rank has been reaped, and how far it had come; alive no longer counts it.
func (f *Fate) RankEnded(rank, pid int, program string, status syscall.WaitStatus, state job.State) {
	if f.Ending || f.Killed || wellEnded(status, state) || exitCode(status) == 0 && f.asked != 0 {
		f.well++
		return
	}
	if f.Survive && state == job.StateFinal && f.asked == 0 { // nobody needs it any more
		f.well++
		f.Code = cmp.Or(f.Code, exitCode(status))
		f.Say("%s after Finalize", f.Named(rank, pid, program, Describe(status)))
		return
	}
	if f.asked != 0 {
		f.End(CodeSignal + int(f.asked))
		return
	}
	f.Failure = &Failure{Rank: rank, Pid: pid, Program: program, Status: status, State: state}
	f.End(f.Failure.Code())
	if !f.Quiet {
		f.Say("%s%s", f.Named(rank, pid, program, f.Failure.how()), f.Others())
	}
}

func wellEnded(status syscall.WaitStatus, state job.State) bool {
	return exitCode(status) == 0 && state != job.StateInit && state != job.StateAborted
}

// Fails tells whether the end of a rank is a failure, and nobody has asked the job to end.
func (f *Fate) Fails(status syscall.WaitStatus, state job.State) bool {
	return !f.Ending && !f.Killed && f.asked == 0 && !wellEnded(status, state)
}

// WorldFailed is told when a rank has failed whose world is connected to no other: that world ends, and the job goes
// on.
func (f *Fate) WorldFailed(failure *Failure, others int) {
	if f.Failure == nil {
		f.Failure, f.Code = failure, failure.Code()
	}
	told := f.Named(failure.Rank, failure.Pid, failure.Program, failure.how())
	if others > 0 {
		told = fmt.Sprintf("%s; the ranks that were started with it end: %d", told, others)
	}
	f.Say("%s", told)
}

// Outlived is told when a rank has failed, and the job goes on.
func (f *Fate) Outlived(failure *Failure) {
	if f.Failure == nil {
		f.Failure = failure
	}
	f.Say("%s; %s (--survive)", f.Named(failure.Rank, failure.Pid, failure.Program, failure.how()),
		f.Doing("the job goes on with"))
}

// AllEnded is told when no rank is left, with what they have noted in the root block.
func (f *Fate) AllEnded(root *job.Root) {
	if f.Ending || f.Killed || f.Quiet {
		return
	}
	if f.Survive && f.Failure != nil { // survivors may have made fewer calls than others
		if f.Strict || f.well == 0 {
			f.Code = f.Failure.Code()
		}
		return
	}
	if odd := hang.LeftOut(root); odd != "" {
		f.Code = CodeError
		f.Say("%s", odd)
	}
}

// Others says what happens to the other ranks, if there are any left.
func (f *Fate) Others() string {
	switch n := f.Alive(); n {
	case 0:
		return ""
	case 1:
		return "; ending the other rank"
	default:
		return fmt.Sprintf("; ending the other %d ranks", n)
	}
}

// Received forwards a signal. The second interrupt kills.
func (f *Fate) Received(sig syscall.Signal) {
	switch sig {
	case syscall.SIGINT:
		f.Interrupts++
		if f.Interrupts > 1 {
			f.Kill(CodeSignal + int(sig))
			f.Say("second interrupt: %s", f.Doing("killing"))
			return
		}
		f.asked = sig
	case syscall.SIGTERM, syscall.SIGHUP:
		f.asked = sig
	}
	f.Signal(sig)
	if f.Starting && f.asked == sig {
		f.End(CodeSignal + int(sig))
	}
}

func (f *Fate) TimedOut(after time.Duration) {
	if f.Ending || f.Killed {
		return // it has begun to end while the ranks were asked
	}
	f.End(CodeTimeout)
	f.Say("time-out after %v: %s", after, f.Doing("ending"))
}

// GraceOver is called when the time to end in an orderly way is over.
func (f *Fate) GraceOver() { f.Kill(f.Code) }

// RankLost is told when a rank has ended whose status this process did not get.
func (f *Fate) RankLost(rank, pid int, program string) {
	f.End(CodeError)
	f.Say("%s%s", f.Named(rank, pid, program, "has ended, how is not known: its status was taken by a wait elsewhere "+
		"in this process"), f.Others())
}

// HostDied is told when the space host ended before the ranks. In one address space nothing watches over the ranks'
// memory any more. In both models nothing would clean up after the supervisor. A code of the host is never that of the
// job: users would take it for that of a rank, or for a mistake on the command line.
func (f *Fate) HostDied(pid int, status syscall.WaitStatus) {
	code := CodeError
	if status.Signaled() {
		code = exitCode(status)
	}
	f.Kill(code)
	f.Say("the space host (pid %d) on %s %s; %s", pid, f.Hostname, Describe(status), f.Doing("killing"))
}

// OutputFailed is told when Stdout takes no more.
func (f *Fate) OutputFailed(err error) {
	if output.IsClosedPipe(err) {
		f.End(CodeSignal + int(syscall.SIGPIPE)) // in silence, as any program in a pipeline
		return
	}
	f.End(CodeError)
	f.Say("write output: %v; %s", err, f.Doing("ending"))
}

// Doing says what is done to the ranks that live.
func (f *Fate) Doing(what string) string {
	switch n := f.Alive(); n {
	case 0:
		return "no rank was running"
	case 1:
		return what + " 1 rank"
	default:
		return fmt.Sprintf("%s %d ranks", what, n)
	}
}

// Deadlocked is told that a deadlock was proved, and reported.
func (f *Fate) Deadlocked() {
	f.End(codeDeadlock)
	f.Say("deadlock: %s (--deadlock=report lets them wait)", f.Doing("ending"))
}
