package launcher

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/internal/trace/symbol"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Nodes says where a job on several nodes runs, and how it gets there.
type Nodes struct {
	Hosts   []Host
	Shell   []string      // starts a command on a node, called as: Shell... HOST COMMAND; nil: ssh, or srun
	Slurm   bool          // start by srun, in the allocation that this process is in
	Network netip.Prefix  // the nodes' addresses for messages are in it; not valid: chosen
	Devices []string      // for messages, by name or network; nil: one in each network that all nodes are in
	Timeout time.Duration // a node that is silent for this long is lost; 0: DefaultNodeTimeout
	// ReportDevices has each node report the use of its devices at the end.
	ReportDevices bool
	Preload       bool // send the programs; else they must be on every node under the same path

	// Instruments are the names of those that every node gets: see NodeMain. Before the ranks
	// start Measuring is called with the nodes, the node of each rank, and the leader's monotonic
	// clock; an error ends the job. Measured is called for the output of the instruments, one call
	// after another. Both are needed if there are instruments.
	Instruments []string
	Measuring   func(nodes []NodeInfo, node []int, now time.Duration) error `json:"-"`
	Measured    func(Piece)                                                 `json:"-"`
	// Attach is by name, for RunPMI, whose processes may be agents.
	Attach map[string]Instrument `json:"-"`

	joined map[int]*joined // by number of the node: its agent connects by itself, see RunPMI
}

// DefaultNodeTimeout is how long a node may be silent.
const DefaultNodeTimeout = 5 * time.Second

// startTime is how long the start of an agent may take.
const startTime = 30 * time.Second

// A leader runs a job on several nodes. It has an agent on each, and runs no rank itself.
// All fields belong to the goroutine of RunNodes, to which others hand what happens through
// events. It waits in one place, next, as a supervisor does, and decides by the same fate.
//
//	greet: all agents answer, or the job ends
//	start: all agents are told the job and one another's addresses
//	run:   until all agents have said that their part is over, or are lost
type leader struct {
	job      *Job
	size     int    // ranks
	apps     []*App // by rank
	programs        // by app
	nodes    Nodes
	dir      string // the working directory
	events   chan func()
	messages queue
	out, err *sink
	output   chan error
	timeout  <-chan time.Time
	grace    <-chan time.Time
	deadline <-chan time.Time // of agents that were told to kill their ranks
	canceled <-chan struct{}
	done     chan struct{} // closed at the end: nobody takes events any more

	fate    fate
	agents  []*remote
	step    *step // the srun that has started them; nil: there is none
	node    []int // by rank
	failure error // why the job could not be started
	input   *leaderInput

	patience *time.Timer // with agents that have not answered
	patient  time.Duration

	checks  bool // there is no job: CheckNodes
	hang    hangQuestion
	lookout lookout
	lookers []*remote      // have not told what comes of the last look
	watched bool           // a rank is: of the last look
	pids    []int          // by rank; 0: not started, or not known
	stopped []bool         // by rank, as far as that is known
	places  []symbol.Place // likewise, of the calls in which they wait
	measure measure
	mirror  *job.Root // the agents' notes of their ranks

	wasAsked bool         // to end, by a signal to an agent
	pausing  bool         // this process is to stop when all agents have been told
	stop     func() error // stops this process until it is continued
}

// RunNodes runs a job on several nodes, and returns when all agents have ended, or were
// lost, and all output was passed on. Most of Run's description holds. The program must
// answer the command "node" by NodeMain. Of Job, Hold and Started are not called. What Finished
// gets has the records of all ranks.
//
// A node whose agent has ended or is silent is lost, which ends the job with code 1. An agent
// that does not hear the leader ends its ranks at once.
func RunNodes(ctx context.Context, j Job, n Nodes) (*Result, error) {
	defer catchPipe()()
	l, err := newLeader(ctx, &j, n)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := l.startAgents(); err != nil {
		return nil, err
	}
	defer l.endAgents()
	if l.greet() {
		l.startJob()
	}
	for l.live() > 0 {
		l.next()
	}
	return l.result(ctx)
}

func newLeader(ctx context.Context, j *Job, n Nodes) (*leader, error) {
	if err := j.checkApps(); err != nil {
		return nil, err
	}
	if len(n.Hosts) == 0 {
		return nil, errors.New("launcher: nodes: no host is given")
	}
	if n.Timeout == 0 {
		n.Timeout = DefaultNodeTimeout
	}
	parts, err := Deal(n.Hosts, j.Total())
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("launcher: %w", err)
	}
	size := j.Total()
	var names []string
	for _, app := range j.Apps {
		names = append(names, app.Program)
	}
	found, err := findPrograms(ctx, names, (*part.Part)(nil).Image, j.Signals, j.Stderr)
	if err != nil {
		return nil, err
	}
	l := &leader{
		job: j, size: size, programs: found, nodes: n, dir: dir, events: make(chan func()), output: make(chan error, 1), canceled: ctx.Done(),
		done:    make(chan struct{}),
		stop:    func() error { return sys.RaiseDefault(syscall.SIGTSTP) },
		lookout: newLookout(j.LooksAfter()), pids: make([]int, size), stopped: make([]bool, size),
		places: make([]symbol.Place, size),
	}
	l.out, l.err = newSinks(j.Stdout, j.Stderr, func(err error) { l.output <- err })
	l.fate = fate{starting: true, effects: effects{alive: l.alive, signal: l.signal, grace: l.endRanks, say: l.say}}
	if j.Timeout > 0 {
		l.timeout = time.After(j.Timeout)
	}
	if err := l.place(parts); err != nil {
		found.close()
		return nil, err
	}
	return l, nil
}

// place makes an agent for each node that gets ranks, and the mirror.
func (l *leader) place(parts []int) error {
	for i := range l.job.Apps {
		l.apps = append(l.apps, slices.Repeat([]*App{&l.job.Apps[i]}, l.job.Apps[i].N)...)
	}
	first := 0
	for i, h := range l.nodes.Hosts {
		if parts[i] == 0 {
			continue // the others are enough
		}
		number := len(l.agents)
		l.agents = append(l.agents,
			&remote{l: l, number: number, name: h.Name, first: first, ranks: parts[i], window: newWindow()})
		first += parts[i]
		l.node = append(l.node, slices.Repeat([]int{number}, parts[i])...)
	}
	memory, err := job.InHeap(job.Config{Ranks: l.size, BTL: job.BTLSM, CPUs: 1, Nodes: l.node,
		Settings: l.settings()})
	if err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	l.mirror = memory.Root()
	return nil
}

// close gives back the resources of newLeader.
func (l *leader) close() {
	close(l.done)
	l.programs.close()
	if l.input != nil {
		l.input.close()
	}
}

// post hands an event to the goroutine of RunNodes.
func (l *leader) post(event func()) {
	select {
	case l.events <- event:
	case <-l.done:
	}
}

// next waits for one event and handles it.
func (l *leader) next() {
	select {
	case event := <-l.events:
		event()
	case sig := <-l.job.Signals:
		l.received(sig)
	case <-l.timeout:
		l.timeout = nil
		l.askHang(func() { l.fate.timedOut(l.job.Timeout) })
	case <-l.grace:
		l.grace = nil
		l.fate.graceOver()
	case err := <-l.output:
		l.fate.outputFailed(err)
	case <-l.canceled:
		l.canceled = nil
		l.fate.kill(codeSignal + int(syscall.SIGKILL))
	case <-l.hang.late:
		l.sayHang()
	case <-l.lookout.tick:
		l.look()
	case <-l.measure.tick:
		l.askClocks()
	case <-l.deadline:
		l.deadline = nil
		for _, a := range l.agents {
			if !a.over {
				a.lose(errors.New("it does not end its ranks"))
			}
		}
	}
	if l.fate.killed && l.deadline == nil {
		l.deadline = time.After(killTime + time.Second)
	}
}

// received is told of a signal.
func (l *leader) received(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	switch {
	case !ok:
	case number == syscall.SIGQUIT:
		l.askHang(nil)
	case number == syscall.SIGTSTP:
		l.pause()
	default:
		if number == syscall.SIGCONT {
			l.pausing = false // as in the kernel, it ends a stop that has not begun
		}
		l.fate.received(number)
	}
}

// asked is told that a signal has asked an agent to end. scancel and Slurm's time limit send it
// to all processes of a step. The end of a rank by it may be heard of first: then this is the
// reason.
func (l *leader) asked(a *remote, sig syscall.Signal) {
	if f := l.fate.failure; l.wasAsked || l.over() && (f == nil || !f.Status.Signaled() || f.Status.Signal() != sig) {
		return
	}
	l.wasAsked = true
	l.fate.end(codeSignal + int(sig))
	if l.nodes.Slurm {
		l.say("Slurm ends the job (scancel, or its time limit): %s", l.fate.doing("ending"))
		return
	}
	l.say("pvasrun on node %s got %s: %s", a.name, sys.SignalName(sig), l.fate.doing("ending"))
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
	case !l.fate.ending:
		l.order(part.Order{Signal: sig})
	}
}

// endRanks has the agents end their ranks, which takes them d.
func (l *leader) endRanks(d time.Duration) {
	l.order(part.Order{End: true})
	l.grace = time.After(d + time.Second)
}

// say writes one line of this process itself.
func (l *leader) say(format string, args ...any) {
	line := fmt.Appendf(nil, "pvasrun: "+format+"\n", args...)
	l.messages.put(func() { l.err.writeLine(line) })
}

// logf prints for -v.
func (l *leader) logf(format string, args ...any) {
	if l.job.Log != nil {
		l.job.Log(format, args...)
	}
}

// result ends the job: it passes on the rest of the output.
func (l *leader) result(ctx context.Context) (*Result, error) {
	l.sayHang()
	l.fate.allEnded(l.mirror)
	l.messages.flush()
	select {
	case err := <-l.output:
		l.fate.outputFailed(err)
	default:
	}
	l.messages.flush()
	l.endMeasure()
	if l.job.Finished != nil {
		l.job.Finished(l.mirror)
	}
	r := &Result{Code: l.fate.code, Failure: l.fate.failure}
	for _, a := range l.agents {
		r.Nodes = append(r.Nodes, a.name)
		if a.end != nil {
			r.BTL, r.Reason = a.end.BTL, a.end.Reason
		}
	}
	err := l.failure
	if err == nil && ctx.Err() != nil && l.fate.killed {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.Code = ExitCode(err)
	}
	return r, err
}

// settings are those of the job on several nodes.
func (l *leader) settings() job.Settings {
	if l.job.BTL == job.BTLSM.String() {
		return l.job.SettingsFor(job.BTLSM)
	}
	return l.job.SettingsFor(job.BTLPvas)
}
