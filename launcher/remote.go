package launcher

import (
	"errors"
	"fmt"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// remote is an agent as the leader sees it. The fields belong to the goroutine of RunNodes.
type remote struct {
	l       *leader
	number  int
	name    string
	first   int // rank
	ranks   int
	alive   int // ranks that were told to start and have not ended
	waiting int // of them, have waited for long
	gone    map[int]bool
	untold  bool // of a pause: the order is not on the wire yet

	command *exec.Cmd // nil: the agent connects by itself
	stdin   io.WriteCloser
	said    tail // its standard error
	link    *link
	window  *window // of input
	stop    chan struct{}
	spoken  chan struct{} // closed when the agent has spoken, or never will
	waited  chan struct{} // closed when the command has ended

	clock    nodeClock
	ready    *ready
	answered time.Time // when it said so
	lost     error     // why it is lost; nil: it is not
	started  bool
	over     bool // finished, or lost
	end      *finished
}

// startAgents starts the command of each node.
func (l *leader) startAgents() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	if l.nodes.Slurm {
		if err := l.startStep(self); err != nil {
			return fmt.Errorf("launcher: start the nodes: %w", err)
		}
		go l.watchStart()
		return nil
	}
	for _, a := range l.agents {
		if conn := l.nodes.joined[a.number]; conn != nil {
			a.begin(conn, conn)
			continue
		}
		if err := a.start(l.nodes.command(a.name, self)); err != nil {
			l.endAgents()
			return &NodeError{a.name, err, codeError}
		}
	}
	go l.watchStart()
	return nil
}

// command returns the command that starts the agent of a node. ssh does not tell which signal has killed what it
// has started; the shell around the agent makes an exit code of that.
func (n *Nodes) command(host, self string) []string {
	remote := "sh -c " + quote(quote(self)+" node; exit $?")
	switch {
	case n.Shell != nil:
		return append(slices.Clone(n.Shell), host, remote)
	case IsHere(host):
		return []string{self, "node"}
	}
	return []string{"ssh", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", host, remote}
}

// quote quotes a word for a shell.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// IsHere tells whether a host is this machine, by its name.
func IsHere(host string) bool {
	name, err := os.Hostname()
	short, _, _ := strings.Cut(name, ".")
	return host == "localhost" || err == nil && (host == name || host == short)
}

// start starts the agent. Its group is its own: the signals of a terminal to the leader's are
// not for it.
func (a *remote) start(argv []string) (err error) {
	a.l.logf("node %s: %s", a.name, strings.Join(argv, " "))
	a.command = exec.Command(argv[0], argv[1:]...)
	a.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	a.command.Stderr = &a.said
	a.command.WaitDelay = endTime / 6 // for its standard error, which what an agent here has started may hold
	if a.stdin, err = a.command.StdinPipe(); err != nil {
		return err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	a.command.Stdout = in
	err = a.command.Start()
	in.Close()
	if err != nil {
		out.Close()
		return err
	}
	a.begin(out, a.stdin)
	go func() {
		_ = a.command.Wait() // the link tells of its end, and why of its reason
		close(a.waited)
	}()
	return nil
}

// begin begins to talk to the agent.
func (a *remote) begin(in io.ReadCloser, out io.WriteCloser) {
	a.stdin = out
	a.link, a.gone = newLink(in, out), map[int]bool{}
	a.stop, a.spoken, a.waited = make(chan struct{}), make(chan struct{}), make(chan struct{})
	a.link.timeout = a.l.nodes.Timeout
	a.link.post(greeting{Version: linkVersion, Timeout: a.l.nodes.Timeout, Check: a.l.checks})
	go a.read(in)
}

// kill ends the process that connects the agent with the leader. The agent ends by that.
func (a *remote) kill() {
	if a.command == nil {
		a.stdin.Close()
		return
	}
	sys.Kill(-a.command.Process.Pid, syscall.SIGKILL) // an error: it has ended
}

// read hands the agent's notes to the leader. It runs until the link ends.
func (a *remote) read(in io.ReadCloser) {
	defer in.Close()
	err := a.link.awaitMagic()
	close(a.spoken)
	if err == nil {
		go a.link.beat(order{}, a.stop, func() {
			a.l.post(func() { a.lose(fmt.Errorf("%w (%v)", errSilent, a.link.timeout)) })
		})
	}
	for err == nil {
		var n note
		err = a.link.receive(&n)
		if n.Clock != nil {
			n.Clock.end = sys.Monotonic()
		}
		if err == nil && !n.Beat {
			a.l.post(func() { a.take(&n) })
		}
	}
	if a.command == nil {
		close(a.waited)
	}
	select { // its standard error may explain the end
	case <-a.waited:
	case <-time.After(endTime / 3):
	case <-a.l.done:
	}
	a.l.post(func() { a.lose(a.why(err)) })
}

// why says how a link has ended.
func (a *remote) why(err error) error {
	how := "its agent has ended"
	command, said, ended := a.command, &a.said, a.waited
	if s := a.l.step; s != nil {
		command, said, ended = s.command, &s.said, s.ended
	}
	select {
	case <-ended:
		if command != nil && command.ProcessState != nil && !command.ProcessState.Success() {
			if status, killed := a.killed(command.ProcessState); killed {
				return fmt.Errorf("its pvasrun %s, which ends the %d ranks there", describe(status), a.alive)
			}
			how = fmt.Sprintf("%s: %v", command.Args[0], command.ProcessState)
		}
	default:
	}
	if text := said.String(); text != "" {
		how += ": " + lastLines(text)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		how += ": " + err.Error()
	}
	return errors.New(how)
}

// killed tells whether a signal has killed the agent, as far as the command that has started it says so: it is the
// agent itself, or passes on the exit code of the shell around it.
func (a *remote) killed(state *os.ProcessState) (status syscall.WaitStatus, ok bool) {
	own, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case a.ready == nil || a.command == nil:
		return 0, false
	case a.l.nodes.Shell == nil && IsHere(a.name):
		return own, own.Signaled()
	}
	sig := own.ExitStatus() - codeSignal
	return syscall.WaitStatus(sig), sig > 0 && sig <= lastSignal
}

// lastSignal is the last signal that Linux has.
const lastSignal = 64

// order tells the agent, if it is there.
func (a *remote) order(o part.Order) {
	if !a.over {
		a.link.post(order{Order: o})
	}
}

// take handles a note.
func (a *remote) take(n *note) {
	l := a.l
	switch {
	case a.over:
	case n.Ready != nil:
		a.greeted(n.Ready)
	case n.Started > 0:
		a.started = true
		l.fate.starting = slices.ContainsFunc(l.agents, func(a *remote) bool { return !a.started })
	case n.Addresses != nil:
		a.others(part.Order{Addresses: n.Addresses})
	case n.Ended != nil:
		a.ended(n.Ended)
	case n.Output != nil:
		a.pass(n)
	case n.Took > 0:
		a.window.give(n.Took)
	case n.Log != "":
		l.logf("%s", n.Log)
	case n.Asked != 0:
		l.asked(a, n.Asked)
	case n.Doing != nil:
		a.tellDoing(n.Doing)
	case n.Waiting != nil:
		a.waiting = *n.Waiting
	case n.Clock != nil:
		a.clockRead(*n.Clock)
	case n.Data != nil:
		a.measured(n)
	case n.Finished != nil:
		a.finished(n.Finished)
	}
}

func (a *remote) greeted(r *ready) {
	if r.Version != linkVersion {
		a.lose(fmt.Errorf("its pvasrun speaks version %d of the protocol, this one %d: "+
			"install the same version on all nodes", r.Version, linkVersion))
		return
	}
	a.ready, a.answered = r, time.Now()
	if a.command == nil {
		// One command has started all: they come at a time. One that was killed before it spoke
		// never does, and the command does not tell.
		a.l.patient = max(a.l.nodes.Timeout, DefaultNodeTimeout)
		a.l.patience.Reset(a.l.patient)
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

// ended is told of the end of a rank.
func (a *remote) ended(e *part.RankEnd) {
	if e.Rank < a.first || e.Rank >= a.first+a.ranks || a.gone[e.Rank] {
		return
	}
	a.gone[e.Rank] = true
	a.alive--
	a.others(part.Order{Gone: []part.RankGone{{Rank: e.Rank, State: e.State}}})
	l := a.l
	l.pids[e.Rank] = e.Pid
	l.mirror.SetState(e.Rank, e.State)
	l.mirror.MarkGone(e.Rank)
	l.fate.hostname = a.name
	l.fate.rankEnded(e.Rank, e.Pid, l.apps[e.Rank].Program, e.Status, e.State)
}

// pass writes the output of ranks, and lets the agent go on with as much.
func (a *remote) pass(n *note) {
	to := a.l.out
	if n.Errors {
		to = a.l.err
	}
	a.l.messages.put(func() {
		to.write(n.Output)
		a.link.post(order{Took: len(n.Output)})
	})
}

// finished is told that the agent's part is over.
func (a *remote) finished(f *finished) {
	l := a.l
	a.end = f
	if f.Err != "" && !l.over() {
		l.failure = &NodeError{a.name, errors.New(strings.TrimPrefix(f.Err, "launcher: ")), f.Code}
		l.fate.end(f.Code)
	}
	if f.Code != 0 && !l.over() {
		l.fate.end(f.Code) // it has said why
	}
	a.finish()
}

// finish ends the link.
func (a *remote) finish() {
	if a.over {
		return
	}
	a.over, a.alive = true, 0
	l := a.l
	l.answered(a)
	l.stopWhenTold()
	l.looked(a, false)
	close(a.stop)
	a.window.close()
	if a.command == nil && a.ready == nil {
		a.stdin.Close() // it may never connect, and nothing is to be said
		return
	}
	a.link.out.put(func() { a.stdin.Close() })
}

// lose is told that the agent is lost. Its ranks, if their node still runs, end by themselves.
// All other ranks are told that they have gone.
func (a *remote) lose(err error) {
	if a.over {
		return
	}
	l := a.l
	var gone []part.RankGone
	for rank := a.first; rank < a.first+a.ranks; rank++ {
		if !a.gone[rank] {
			gone = append(gone, part.RankGone{Rank: rank})
		}
	}
	a.lost = err
	a.finish()
	a.kill()
	switch {
	case l.over():
	case a.ready == nil:
		l.failure = &NodeError{a.name, fmt.Errorf("start pvasrun there: %w", err), codeError}
	default:
		l.fate.end(codeError)
		l.say("node %s is lost: %v%s", a.name, err, l.fate.others())
	}
	a.others(part.Order{Gone: gone})
}

// endAgents waits for the commands, and kills those that do not end.
func (l *leader) endAgents() {
	late := time.After(endTime)
	for _, a := range l.agents {
		if a.waited == nil {
			continue // not started
		}
		a.finish()
		select {
		case <-a.waited:
			continue
		case <-late:
			late = time.After(0)
			a.kill()
		}
		<-a.waited
	}
	if l.step != nil {
		l.step.end(late)
	}
}

// endTime is how long the command of an agent may last after the agent's last word.
const endTime = 3 * time.Second
