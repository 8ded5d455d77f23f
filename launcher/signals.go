package launcher

import (
	"os"
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
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

func (s *supervisor) received(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	if !ok {
		return
	}
	switch {
	case number == syscall.SIGQUIT:
		s.act(s.watch.Ask(false))
		return
	case number == syscall.SIGTSTP:
		s.whenStarted(number, s.pause)
		return
	case s.phase != working: // nobody is left to forward it to
		s.givenUp = s.givenUp || s.phase == draining && fate.EndsWait(sig)
		return
	}
	s.whenStarted(number, func() { s.fate.Received(number) })
}

// whenStarted carries out a signal. One that asks for an end acts at once. Others wait until all ranks have been
// started: a rank that the host is just starting, whose output may be seen already, has no pid here yet, and
// would miss them.
func (s *supervisor) whenStarted(sig syscall.Signal, act func()) {
	if !s.fate.Starting || fate.EndsWait(sig) {
		act()
		return
	}
	if sig == syscall.SIGCONT { // ends a stop that has not begun, as in the kernel
		s.later = slices.DeleteFunc(s.later, func(l laterSignal) bool { return l.Signal == syscall.SIGTSTP })
	}
	s.later = append(s.later, laterSignal{sig, act})
}

// pause stops the ranks, and then this process until it is continued, as Ctrl-Z
// stops every process of a pipeline. Where nobody would continue them, in an
// orphaned process group, the kernel does not stop this process, and the ranks go
// on at once.
func (s *supervisor) pause() {
	s.ranks.Signal(syscall.SIGTSTP)
	if err := sys.RaiseDefault(syscall.SIGTSTP); err != nil {
		s.io.Say("pause: %v", err)
	}
	s.ranks.Signal(syscall.SIGCONT)
}
