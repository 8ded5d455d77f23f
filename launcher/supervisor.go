package launcher

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/cause"
	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/roster"
	"github.com/gopvas/gopvas/launcher/internal/streams"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// A supervisor is one run of a job. All fields belong to the goroutine of Run,
// but for those the comments give to others. Calls that may block run elsewhere, see
// events.go.
type supervisor struct {
	*plan
	*host.Adoption
	starter starter
	host    int // pid
	// hostEnd is how the host ended, if it has.
	hostEnd *syscall.WaitStatus
	memory  *job.Memory // nil until it is made
	io      *streams.Streams
	later   []laterSignal // until all ranks have been started

	fate  fate.Fate
	ranks *roster.Table
	// failed is true when a rank has failed. ends are what the leader is told of ends; none waits long.
	failed bool
	ends   output.Queue

	unheard  []part.Order    // of the leader, before there was memory to note them in
	nodesEnd context.Context // ends when the memory is about to be closed
	told     sync.WaitGroup  // part.FollowAddresses
	held     holds
	watch    *watch.Watch

	causes    *cause.Finder
	desk      *desk.Desk // nil until there is memory
	lateApps  []int      // of the commands of the world that is being started
	dismissed bool       // see idle
	respawned int        // failed ranks that were started anew: see anew

	events
}

func newSupervisor(ctx context.Context, p *plan, orphans *host.Adoption) *supervisor {
	s := &supervisor{
		plan: p, Adoption: orphans,
		io:     streamsOf(p.job),
		causes: cause.NewFinder(),
		events: newEvents(ctx, p.job),
	}
	s.starter = starter{plan: p, io: s.io, turns: turns{most: startsPerCPU * p.room()},
		parent: host.NewParent(p.job.StackSize, job.MonitorSlackOf(p.size, p.atOnce))}
	if log := p.job.Log; log != nil {
		p.job.Log = func(format string, args ...any) { s.io.Put(func() { log(format, args...) }) }
	}
	guest := 0
	if p.job.guest != nil {
		guest = p.job.guest.Root().Pid(0)
	}
	s.ranks = roster.New(p.job.Part, p.size, p.job.Total(), guest)
	after, off := p.job.LooksAfter()
	s.watch = watch.New(s.ranks, p.job.Part != nil, after, off)
	s.fate = fate.Fate{Hostname: nodeName(p.job), Starting: true, Quiet: p.job.Part != nil,
		Survive: p.job.Settings.Survive, Strict: p.job.Strict, Effects: fate.Effects{
			Alive:  s.ranks.Alive,
			Signal: s.signalRanks,
			Grace:  func(d time.Duration) { s.grace.begin(d, s.ranks) },
			Say:    s.io.Say,
		}}
	return s
}

// nodeName is the name of this node in the job.
func nodeName(j *Job) string {
	if j.Part != nil {
		return j.Part.Name
	}
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

func streamsOf(j *Job) *streams.Streams {
	return streams.New(streams.Config{Stdin: j.Stdin, StdinTo: part.Readers(j.StdinTo), Stdout: j.Stdout,
		Stderr: j.Stderr, Output: j.Output, Node: nodeName(j), Begins: j.Total(), Here: j.size(), Ranks: j.Total,
		Prefix: j.Part.Prefix()})
}

// events are the channels that the supervisor waits for. All fields belong to the goroutine of
// Run.
type events struct {
	childEnd  chan os.Signal // a child has ended: reap
	cancelled <-chan struct{}
	timeout   <-chan time.Time
	grace     grace
	deadline  <-chan time.Time // of the killed processes
	left      *host.Left       // of them, when the deadline was set; nil: it is that of the first look
	killed    bool             // the ranks, see signalRanks
	razing    <-chan time.Time // the time of the host to kill them; nil unless it does
	posted    chan func()      // see post
	phase     phase
	givenUp   bool // calls underway are not waited for any longer
}

// A phase is the supervisor's stage in the life of a job.
type phase int

const (
	working  phase = iota // ranks are being started, or run
	sweeping              // no rank lives that is known
	draining              // no process is left
)

func newEvents(ctx context.Context, j *Job) events {
	e := events{
		childEnd: make(chan os.Signal, 1), // one token stands for any number of ends
		posted:   make(chan func()), cancelled: ctx.Done(),
	}
	signal.Notify(e.childEnd, syscall.SIGCHLD)
	if j.Timeout > 0 {
		e.timeout = time.After(j.Timeout)
	}
	return e
}

// laterSignal is a signal that waits for the ranks.
type laterSignal struct {
	syscall.Signal
	act func()
}

// over reports whether the fate of the job has been decided.
func (s *supervisor) over() bool { return s.fate.Ending || s.fate.Killed }

// holds calls Job.Hold at the hold points. The supervisor gives up a call that lasts when the job
// is killed, and then closes the job's memory. So the root block is used with mu held, and
// not after end.
type holds struct {
	mu    sync.Mutex
	root  *job.Root
	ended bool
}

// post hands an event to the goroutine of Run. It returns false if the last rank has ended: then nobody takes it.
func (s *supervisor) post(event func()) bool {
	select {
	case s.posted <- event:
		return true
	case <-s.nodesEnd.Done():
		return false
	}
}
