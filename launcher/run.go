package launcher

import (
	"context"
	"errors"
	"sync"

	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
)

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
	defer fate.CatchPipe()()
	plan, err := newPlan(ctx, &j)
	if err != nil {
		return nil, err
	}
	defer func() { plan.List.Close() }() // with what is added to it
	var misfit error
	if j.BTL != btlSM {
		misfit = plan.fit() // tries a child, which would be taken for an orphan later
	}
	orphans, err := host.Adopt()
	if err != nil {
		return nil, err
	}
	defer orphans.End()
	s := newSupervisor(ctx, plan, orphans)
	s.starter.misfit = misfit
	return s.run(ctx)
}

// run runs the job to its end.
func (s *supervisor) run(ctx context.Context) (*Result, error) {
	nodes, leave := context.WithCancel(context.Background())
	s.nodesEnd = nodes
	err := s.supervise(ctx)
	s.sweep()
	leave()
	if s.desk != nil {
		s.desk.Others.Close()
	}
	s.told.Wait()
	s.held.end()
	return s.finish(ctx, err)
}

// supervise runs the job from its first process to the end of its last rank.
func (s *supervisor) supervise(ctx context.Context) error {
	if err := s.io.OpenDir(); err != nil {
		return mistake{err}
	}
	if err := s.io.Open(); err != nil {
		return err
	}
	holding, release := context.WithCancel(ctx)
	defer release()
	var holds sync.WaitGroup
	err := s.start()
	switch {
	case err == nil:
		s.allStarted(holding, &holds)
	case errors.Is(err, host.ErrOver):
		err = nil
	default:
		s.fate.Kill(fate.CodeError)
	}
	s.serve(s.idle)
	if s.watch.AnswersDue() != nil {
		s.act(s.watch.EndAnswers())
	}
	s.serve(func() bool { return !s.watch.Placing() })
	release()
	s.during(holds.Wait)
	return err
}

// start starts the host and the ranks. The error is host.ErrOver where the fate of
// the job has been decided before it was complete.
func (s *supervisor) start() error {
	started, err := await(s, func() (host.Started, error) { return s.starter.parent.StartHost(s.id) })
	if err != nil {
		return err
	}
	s.hostStarted(started)
	if _, err := await(s, func() (any, error) { return nil, s.starter.chooseBTL() }); err != nil {
		return err
	}
	if s.memory, err = await(s, s.starter.makeMemory); err != nil {
		return err
	}
	s.starter.memory = s.memory
	if s.job.Made != nil {
		if err := s.job.Made(s.memory.Root()); err != nil {
			return err
		}
	}
	s.watch.Begin(s.memory.Root())
	own := neighbour.Own{Root: s.memory.Root(), Post: s.post, Until: s.nodesEnd}
	if s.job.TraceSize > 0 {
		own.Alone = neighbour.ErrRecorded
	}
	s.desk = desk.Open(own, s.job.Part)
	s.joinNodes()
	for rank := range s.size {
		at, err := await(s, s.startOf(rank))
		if errors.Is(err, host.ErrOver) {
			return err
		}
		if err != nil {
			return &StartError{Rank: s.number(rank), Program: s.app(rank).Program, Err: err}
		}
		s.rankStarted(at)
	}
	if s.over() {
		return host.ErrOver
	}
	return nil
}

// allStarted is called when every rank has been started.
func (s *supervisor) allStarted(ctx context.Context, holds *sync.WaitGroup) {
	s.fate.Starting = false
	for _, signal := range s.later {
		signal.act()
	}
	s.attend()
	p := Processes{BTL: s.starter.btl, Host: s.host, Ranks: s.ranks.Pids()}
	if len(s.machine.Nodes) > 1 {
		for rank := range s.size {
			p.Numbers = append(p.Numbers, s.number(rank))
			p.Domains = append(p.Domains, s.memory.Root().Domain(s.number(rank)))
			base, size := s.memory.Root().Partition(s.number(rank))
			p.Partitions = append(p.Partitions, [2]uint64{base, size})
		}
	}
	if s.job.Started != nil {
		s.job.Started(p)
	}
	if s.job.Hold != nil {
		s.held.root = s.memory.Root()
		holds.Go(func() { s.held.attend(ctx, s.job.Hold, p) })
	}
}

// idle tells whether nothing is left to do: no rank lives. A job on several nodes may get more ranks: there the leader
// must have said that it gets none, or the job is ending.
func (s *supervisor) idle() bool {
	if s.ranks.Alive() > 0 {
		return false
	}
	p := s.job.Part
	return p == nil || p.Places <= s.job.Total() || s.dismissed || s.over()
}
