package cluster

import (
	"context"
	"io"
	"net/netip"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/launcher/internal/streams"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// A leader runs a job on several nodes. It has an agent on each, and runs no rank itself.
// All fields belong to the goroutine of Run, to which others hand what happens through
// events. It waits in one place, next, as a supervisor does, and decides by the same fate.
//
//	greet: all agents answer, or the job ends
//	start: all agents are told the job and one another's addresses
//	run:   until all agents have said that their part is over, or are lost
type leader struct {
	job          *launcher.Job
	size         int             // ranks
	apps         []*launcher.App // by rank
	program.List                 // by app
	nodes        Nodes
	dir          string // the working directory
	events       chan func()
	io           *streams.Streams // of this process; ranks have theirs on their nodes
	timeout      <-chan time.Time
	grace        <-chan time.Time
	killLook     <-chan time.Time // see awaitKilled
	canceled     <-chan struct{}
	done         chan struct{} // closed at the end: nobody takes events any more

	fate    fate.Fate
	agents  []*remote
	step    *step // the srun that has started them; nil: there is none
	node    []int // by rank
	failure error // why the job could not be started
	input   *leaderInput

	patience patience

	checks  bool // there is no job: Check
	watch   watch.Nodes
	measure measure
	mirror  *job.Root // the agents' notes of their ranks
	key     job.Key
	lateWorlds
	ends part.Ends

	wasAsked bool         // to end, by a signal to an agent
	pausing  bool         // this process is to stop when all agents have been told
	stop     func() error // stops this process until it is continued
}

// post hands an event to the goroutine of Run.
func (l *leader) post(event func()) {
	select {
	case l.events <- event:
	case <-l.done:
	}
}

// order tells all agents.
func (l *leader) order(o part.Order) {
	for _, a := range l.agents {
		a.order(o)
	}
}

// alive returns how many ranks live.
func (l *leader) alive() (n int) {
	for _, a := range l.agents {
		n += a.alive
	}
	return n
}

// live returns how many agents are not over.
func (l *leader) live() (n int) {
	for _, a := range l.agents {
		if !a.over {
			n++
		}
	}
	return n
}

// signal is an effect of the fate. Signals by which an end in order begins are not passed on:
// agents send them by themselves (endRanks).
func (l *leader) signal(sig syscall.Signal) {
	switch {
	case sig == syscall.SIGKILL:
		l.order(part.Order{Kill: true})
	case !l.fate.Ending:
		l.order(part.Order{Signal: sig})
	}
}

// endRanks tells the agents to end their ranks, which takes them d.
func (l *leader) endRanks(d time.Duration) {
	l.order(part.Order{End: true})
	l.grace = time.After(d + time.Second)
}

// logf prints for -v.
func (l *leader) logf(format string, args ...any) {
	if l.job.Log != nil {
		l.job.Log(format, args...)
	}
}

// measure is the state of a leader whose agents have instruments.
type measure struct {
	pieces output.Queue // to Nodes.Measured
	tick   <-chan time.Time
	stop   func()
}

// remote is an agent as the leader sees it. The fields belong to the goroutine of Run.
type remote struct {
	l       *leader
	number  int
	name    string
	slots   int   // as the user has said; 0: nothing is said of any node
	ranks   []int // their numbers, ascending
	alive   int   // ranks that were told to start and have not ended
	beats   atomic.Int64
	waitsBy int64 // how many beats there were when it began to wait for killed processes
	waiting int   // of them, have waited for long
	gone    map[int]bool
	untold  bool // of a pause: the order is not on the wire yet

	command *exec.Cmd // nil: the agent connects by itself
	stdin   io.WriteCloser
	said    output.Tail // its standard error, and what came before linkMagic
	link    *link
	window  *window      // of input
	input   atomic.Int32 // see awaited
	stop    chan struct{}
	spoken  chan struct{} // closed when the agent has spoken, or never will
	waited  chan struct{} // closed when the command has ended

	clock    nodeClock
	ready    *ready
	answered time.Time // when it said so
	doors    []netip.AddrPort
	called   bool
	heard    [][]bool // see heard
	lost     error    // why it is lost; nil: it is not
	started  bool
	over     bool // finished, or lost
	end      *finished
}

// order tells the agent, if it is there.
func (a *remote) order(o part.Order) {
	if !a.over {
		a.link.Post(order{Order: o})
	}
}

// others tells all other agents.
func (a *remote) others(o part.Order) {
	for _, b := range a.l.agents {
		if b != a {
			b.order(o)
		}
	}
}

func (l *leader) over() bool { return l.fate.Ending || l.fate.Killed || l.failure != nil }

// step is the srun of a job.
type step struct {
	door    *door
	command *exec.Cmd
	said    output.Tail
	ended   chan struct{}
}

// patience is with agents that have not answered.
type patience struct {
	timer *time.Timer
	time  time.Duration
	since time.Time
}

// lateWorlds is what a leader knows of worlds that are added.
type lateWorlds struct {
	room      int // ranks that the job has room for
	worlds    []job.World
	desk      *desk.Desk // nil until the agents are told the job
	requests  []request  // that were not answered yet
	spawning  *spawning
	asking    bool // elsewhere, for the request that was taken last
	leave     context.CancelFunc
	dismissed bool // the agents know that no rank is added any more
}

// A request is that of a rank.
type request struct {
	from *remote
	*part.Request
}

// spawning is the start of a world.
type spawning struct {
	request
	part.Start
}

// leaderInput passes the standard input on to the agents of the ranks that read it.
type leaderInput struct {
	from     io.Reader
	terminal *output.TerminalInput // nil: it is no terminal
	piped    io.Closer             // what comes from the terminal
	agents   []*remote
}

// nodeClock is the leader's estimate of the clock of a node.
type nodeClock struct {
	low, high time.Duration // bounds by the round trips before the start
	ahead     time.Duration // estimate
	known     bool
	rounds    int // that are still to be made
}
