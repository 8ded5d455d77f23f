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

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/internal/trace/symbol"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// HostMain must be the first call of main in every program that calls Run: Run
// executes the program again as the space host and as the guard of a job. In those
// processes HostMain serves and does not return; in any other it returns at once.
func HostMain() { serveAgain() }

// running admits one job at a time: adopting orphans is a property of the whole
// process, and so is the question whose they are.
var running sync.Mutex

// Run runs a job and returns when every process of it has ended and all output
// has been passed on. The program must call HostMain first in main. Calls from
// several goroutines run one after another. While a job runs, its process must
// not start processes by other means: they are taken for orphans of the job, so
// they are reaped when they end and killed when the job ends (children it had
// before are safe).
//
// A rank that fails is no error of Run but a Result with a Failure and a Code:
// 0 if every rank ended with 0; else the code of the first that did not, 128 +
// signal if it was killed; 128 + signal if a forwarded INT, TERM or HUP ended
// the job; 124 after Timeout; 125 after a proved deadlock; 141 if Stdout was closed. When a rank fails the
// others get TERM, and KILL after 2 s. INT, TERM and HUP that come before all
// ranks have been started end the job, whatever its ranks do with them.
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
	defer plan.programs.close()
	var misfit error
	if j.BTL != btlSM {
		misfit = plan.fit() // tries a child, which would be taken for an orphan later
	}
	orphans, err := adopt()
	if err != nil {
		return nil, err
	}
	defer orphans.end()
	s := newSupervisor(ctx, plan, orphans)
	s.misfit = misfit
	return s.run(ctx)
}

// A supervisor is one run of a job. All fields belong to the goroutine of Run,
// but for those the comments give to others. Calls that may block run elsewhere, see
// events.go.
type supervisor struct {
	*plan
	*adoption
	parent *parent
	host   int // pid
	// hostEnd is how the host ended, if it has.
	hostEnd  *syscall.WaitStatus
	control  *control
	memory   *job.Memory
	btl      job.BTL // by chooseBTL
	reason   string  // by chooseBTL
	misfit   error   // why the ranks cannot share an address space; nil if that has to be seen in the host
	io       *stdio
	later    []laterSignal // until all ranks have been started
	messages queue         // of messages and the log

	fate  fate
	pids  []int       // by rank; 0: not started
	alive map[int]int // rank by pid
	// early keeps the ends of processes that nobody has introduced yet: a rank
	// may have ended before the host has told its pid.
	early map[int]syscall.WaitStatus

	unheard  []part.Order    // of the leader, before there was memory to note them in
	nodesEnd context.Context // ends when the memory is about to be closed
	told     sync.WaitGroup  // tellAddresses
	held     holds
	lookout  lookout
	asked    hangAsked
	// toldWaiting is how many waiting ranks the leader was told of.
	toldWaiting int
	placing     placing

	events
}

func newSupervisor(ctx context.Context, p *plan, orphans *adoption) *supervisor {
	s := &supervisor{
		plan: p, adoption: orphans, parent: newParent(p.job.StackSize),
		pids: make([]int, p.size), alive: map[int]int{}, early: map[int]syscall.WaitStatus{},
		placing: placing{read: readPlaces, known: map[callAt]symbol.Place{}},
		events:  newEvents(ctx, p.job), lookout: newLookout(p.job.LooksAfter()),
	}
	if log := p.job.Log; log != nil {
		p.job.Log = func(format string, args ...any) { s.messages.put(func() { log(format, args...) }) }
	}
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "this machine"
	}
	if p.job.Part != nil {
		hostname = p.job.Part.Name
	}
	s.fate = fate{hostname: hostname, starting: true, quiet: p.job.Part != nil, effects: effects{
		alive:  func() int { return len(s.alive) },
		signal: s.signalRanks,
		grace:  func(d time.Duration) { s.grace = time.After(d) },
		say:    func(format string, args ...any) { s.io.say(format, args...) },
	}}
	return s
}

// run runs the job to its end.
func (s *supervisor) run(ctx context.Context) (*Result, error) {
	nodes, leave := context.WithCancel(context.Background())
	s.nodesEnd = nodes
	err := s.supervise(ctx)
	s.sweep()
	leave()
	s.told.Wait()
	s.held.end()
	return s.finish(ctx, err)
}

// number is the number in the job of a rank of this node.
func (s *supervisor) number(rank int) int { return s.job.Part.FirstRank() + rank }

func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}

// supervise runs the job from its first process to the end of its last rank.
func (s *supervisor) supervise(ctx context.Context) error {
	var err error
	s.io, err = newStdio(s.job, &s.messages, func(err error) { s.output <- err })
	if err != nil {
		return err
	}
	holding, release := context.WithCancel(ctx)
	defer release()
	var holds sync.WaitGroup
	err = s.start()
	switch {
	case err == nil:
		s.allStarted(holding, &holds)
	case errors.Is(err, errOver):
		err = nil
	default:
		s.fate.kill(codeError)
	}
	s.serve(func() bool { return len(s.alive) == 0 })
	if s.asked.tick != nil {
		s.endHang()
	}
	s.serve(func() bool { return s.placing.then == nil })
	release()
	s.during(holds.Wait)
	return err
}

// start starts the host and the ranks. The error is errOver where the fate of
// the job has been decided before it was complete.
func (s *supervisor) start() error {
	started, err := await(s, func() (startedHost, error) { return s.parent.startHost(s.id) })
	if err != nil {
		return err
	}
	s.hostStarted(started)
	if _, err := await(s, func() (any, error) { return nil, s.chooseBTL() }); err != nil {
		return err
	}
	if s.memory, err = await(s, s.makeMemory); err != nil {
		return err
	}
	if s.job.Made != nil {
		if err := s.job.Made(s.memory.Root()); err != nil {
			return err
		}
	}
	s.joinNodes()
	for rank := range s.size {
		clear(s.early) // of orphans; a number may be used again
		pid, err := await(s, func() (int, error) { return s.startRank(rank) })
		if errors.Is(err, errOver) {
			return err
		}
		if err != nil {
			return &StartError{Rank: s.number(rank), Program: s.app(rank).Program, Err: err}
		}
		s.rankStarted(rank, pid)
	}
	if s.over() {
		return errOver
	}
	return nil
}

func (s *supervisor) hostStarted(h startedHost) {
	s.host, s.control = h.pid, h.control
	s.job.logf("space host is pid %d, guard is pid %d", s.host, h.guard)
	if status, gone := s.early[s.host]; gone {
		s.ended(exit{s.host, status})
	}
}

// makeMemory makes the job's memory and has the host map it.
func (s *supervisor) makeMemory() (*job.Memory, error) {
	c := job.Config{
		Ranks: s.job.Total(), BTL: s.btl, CPUs: len(s.cpus), HugePages: s.job.HugePages, Hold: s.job.Hold != nil,
		TraceSize: s.job.TraceSize, Settings: s.job.SettingsFor(s.btl),
	}
	s.job.Part.Describe(&c)
	memory, err := job.Create(c)
	if err != nil || s.btl != job.BTLPvas {
		return memory, err
	}
	if _, err := s.control.call("map the job's memory", request{Memory: true}, memory.File()); err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	return memory, nil
}

// allStarted is called when every rank has been started.
func (s *supervisor) allStarted(ctx context.Context, holds *sync.WaitGroup) {
	s.fate.starting = false
	for _, signal := range s.later {
		signal.act()
	}
	p := Processes{BTL: s.btl, Host: s.host, Ranks: append([]int(nil), s.pids...)}
	if s.job.Started != nil {
		s.job.Started(p)
	}
	if s.job.Hold != nil {
		s.held.root = s.memory.Root()
		holds.Go(func() { s.held.attend(ctx, s.job.Hold, p) })
	}
}

func (s *supervisor) rankStarted(rank, pid int) {
	s.pids[rank] = pid
	s.alive[pid] = rank
	if status, gone := s.early[pid]; gone {
		s.ended(exit{pid, status})
		return
	}
	s.fate.fresh(func(sig syscall.Signal) { sys.Kill(-pid, sig) })
}

// signalRanks sends a signal to the process groups of the living ranks.
func (s *supervisor) signalRanks(sig syscall.Signal) {
	for pid := range s.alive {
		sys.Kill(-pid, sig) // an error: it has just ended
	}
}
