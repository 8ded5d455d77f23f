package launcher

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// running admits one job at a time: adopting orphans is a property of the whole
// process, and so is the question whose they are.
var running sync.Mutex

// Run runs a job and returns when every process of it has ended and all output
// has been passed on. The program must call HostMain first in main. Calls from
// several goroutines run one after another. While a job runs, its process must
// not start processes by other means: those that still run when the job ends are
// taken for orphans of the job and killed (children it had before are safe).
//
// A rank that fails is no error of Run but a Result with a Failure and a Code:
// 0 if every rank ended with 0; else the code of the first that did not, 128 +
// signal if it was killed; 128 + signal if a forwarded INT, TERM or HUP ended
// the job; 124 after Timeout; 141 if Stdout was closed. When a rank fails the
// others get TERM, and KILL after 2 s.
//
// An error says that the job could not be started, or that ctx ended it (which
// kills it at once); ExitCode gives the code for it. Nothing is left of the job
// then either. Result is not nil if processes were started.
func Run(ctx context.Context, j Job) (*Result, error) {
	running.Lock()
	defer running.Unlock()
	defer catchPipe()()
	plan, err := newPlan(ctx, &j)
	if err != nil {
		return nil, err
	}
	defer plan.close()
	orphans, err := adopt()
	if err != nil {
		return nil, err
	}
	s := newSupervisor(plan)
	err = s.supervise(ctx)
	s.endHost(orphans)
	orphans.end()
	return s.finish(ctx, err)
}

// A supervisor is one run of a job. All fields belong to the goroutine of Run,
// but for those the comments give to others.
type supervisor struct {
	*plan
	parent  *parent
	closing sync.Once // of parent's tasks
	host    int       // pid
	// hostEnd is how the host ended, if it has.
	hostEnd *syscall.WaitStatus
	control *control
	memory  *job.Memory
	btl     job.BTL
	reason  string
	io      *stdio
	output  chan error // the first error of Stdout

	fate     fate
	pids     []int       // by rank; 0: not started
	alive    map[int]int // rank by pid
	startErr error       // of the first rank that could not be started
	// early keeps the ends of processes that nobody has introduced yet: a rank
	// may have ended before the host has told its pid.
	early map[int]syscall.WaitStatus
	grace *time.Timer // runs once the job is ending
	holds sync.WaitGroup
}

func newSupervisor(p *plan) *supervisor {
	s := &supervisor{
		plan: p, parent: newParent(),
		output: make(chan error, 1),
		pids:   make([]int, p.size), alive: map[int]int{}, early: map[int]syscall.WaitStatus{},
		grace: time.NewTimer(time.Hour),
	}
	s.grace.Stop()
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "this machine"
	}
	s.fate = fate{hostname: hostname, effects: effects{
		alive:  func() int { return len(s.alive) },
		signal: s.signalRanks,
		grace:  func(d time.Duration) { s.grace.Reset(d) },
		say:    func(format string, args ...any) { s.io.say(format, args...) },
	}}
	return s
}

func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}

// supervise runs the job from its first process to the end of its last rank.
func (s *supervisor) supervise(ctx context.Context) error {
	var err error
	s.io, err = newStdio(s.job, func(err error) { s.output <- err })
	if err != nil {
		return err
	}
	if s.host, s.control, err = s.parent.startHost(); err != nil {
		return err
	}
	s.job.logf("space host is pid %d", s.host)
	if err := s.chooseBTL(); err != nil {
		return err
	}
	s.memory, err = job.Create(job.Config{
		Ranks: s.size, BTL: s.btl, CPUs: len(s.cpus), HugePages: s.job.HugePages, Hold: s.job.Hold != nil,
		Settings: s.job.Settings,
	})
	if err != nil {
		return err
	}
	if s.btl == job.BTLPvas {
		if _, err := s.control.call("map the job's memory", request{Memory: true}, s.memory.File()); err != nil {
			return err
		}
	}
	return s.attend(ctx)
}

// attend starts the ranks and handles what happens until all have been reaped.
func (s *supervisor) attend(ctx context.Context) error {
	holding, release := context.WithCancel(ctx)
	defer s.holds.Wait()
	defer release()
	stop := make(chan struct{})
	started := s.startRanks(stop)
	var timeout <-chan time.Time
	if s.job.Timeout > 0 {
		timer := time.NewTimer(s.job.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	cancelled := ctx.Done()
	for started != nil || len(s.alive) > 0 {
		select {
		case ev, ok := <-started:
			if !ok {
				started = nil
				s.allStarted(holding)
			} else if ev.err != nil {
				s.startErr = ev.err
				s.fate.kill(codeError)
			} else {
				s.rankStarted(ev)
			}
		case e, ok := <-s.parent.exited:
			if !ok {
				return errors.Join(s.startErr, errors.New("launcher: ranks vanished without a status"))
			}
			s.ended(e)
		case sig := <-s.job.Signals:
			s.received(sig)
		case <-timeout:
			s.sayHang()
			s.fate.timedOut(s.job.Timeout)
		case <-s.grace.C:
			s.fate.graceOver()
		case err := <-s.output:
			s.fate.outputFailed(err)
		case <-cancelled:
			cancelled = nil
			s.fate.kill(codeSignal + int(syscall.SIGKILL))
		}
		if stop != nil && (s.fate.ending || s.fate.killed) {
			close(stop)
			stop = nil
		}
	}
	return s.startErr
}

// allStarted is called when no more ranks will be started.
func (s *supervisor) allStarted(ctx context.Context) {
	s.closeTasks()
	if s.startErr != nil || s.fate.ending || s.fate.killed {
		return
	}
	p := Processes{BTL: s.btl, Host: s.host, Ranks: append([]int(nil), s.pids...)}
	if s.job.Started != nil {
		s.job.Started(p)
	}
	if s.job.Hold != nil {
		root, hold := s.memory.Root(), s.job.Hold
		s.holds.Go(func() { attendHolds(ctx, root, hold, p) })
	}
}

// attendHolds calls hold at each hold point. It ends with the first point that
// is not reached by all ranks.
func attendHolds(ctx context.Context, root *job.Root, hold func(job.Hold, Processes), p Processes) {
	for _, point := range []job.Hold{job.HoldInit, job.HoldFinalize} {
		if err := root.AwaitHold(ctx, point); err != nil {
			return
		}
		p.SharedBytes = root.SharedBytes()
		hold(point, p)
		root.Release(point)
	}
}

func (s *supervisor) rankStarted(ev startedRank) {
	s.pids[ev.rank] = ev.pid
	s.alive[ev.pid] = ev.rank
	if status, gone := s.early[ev.pid]; gone {
		delete(s.early, ev.pid)
		s.ended(exit{ev.pid, status})
		return
	}
	s.fate.fresh(func(sig syscall.Signal) { sys.Kill(-ev.pid, sig) })
}

// ended is called for every child that has been reaped.
func (s *supervisor) ended(e exit) {
	if e.pid == s.host {
		s.hostEnd = &e.status
		if s.startErr == nil { // else that error will name the host
			s.fate.hostDied(e.pid, e.status)
		}
		return
	}
	rank, known := s.alive[e.pid]
	if !known {
		s.early[e.pid] = e.status
		return
	}
	delete(s.alive, e.pid)
	s.memory.Root().MarkGone(rank)
	if sys.Kill(-e.pid, 0) != nil { // nobody is left in the group: its number may be used again
		s.control.note(request{Forget: e.pid})
	}
	s.job.logf("rank %d (pid %d) %s", rank, e.pid, describe(e.status))
	s.fate.rankEnded(rank, e.pid, s.app(rank).Program, e.status)
}

func (s *supervisor) received(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	if !ok {
		return
	}
	if number == syscall.SIGQUIT {
		s.sayHang()
		return
	}
	if number == syscall.SIGCONT && s.io.input != nil {
		s.io.input.start() // we may have come to the foreground
	}
	s.fate.received(number)
}

// signalRanks sends a signal to the process groups of the living ranks.
func (s *supervisor) signalRanks(sig syscall.Signal) {
	for pid := range s.alive {
		sys.Kill(-pid, sig) // an error: it has just ended
	}
}

func (s *supervisor) closeTasks() { s.closing.Do(s.parent.closeTasks) }

// endHost ends the host and reaps every child that is left: after an error that
// may be a rank whose pid the host had no time to tell.
func (s *supervisor) endHost(orphans *adoption) {
	if s.host != 0 && s.hostEnd == nil {
		// It holds nothing worth an orderly end, and this works on a stopped one.
		sys.Kill(s.host, syscall.SIGKILL)
	}
	s.closeTasks()
	for e := range s.parent.exited {
		if e.pid == s.host {
			s.hostEnd = &e.status
		}
		if s.hostEnd != nil {
			orphans.kill() // nobody starts ranks any more
		}
	}
}
