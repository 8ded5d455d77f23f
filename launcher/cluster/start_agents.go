package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
)

// startAgents starts the command of each node.
func (l *leader) startAgents() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	if l.nodes.Slurm {
		if err := l.startStep(self); err != nil {
			if _, told := errors.AsType[*NodeError](err); told {
				return err
			}
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
			return &NodeError{a.name, l.nodes.notStarted(err), fate.CodeError}
		}
	}
	go l.watchStart()
	return nil
}

// command returns the command that starts the agent of a node. ssh does not tell which signal has killed what it
// has started; the shell around the agent makes an exit code of that. How long ssh may take decides watchStart.
func (n *Nodes) command(host, self string) []string {
	remote := "sh -c " + quote(quote(self)+" node; exit $?")
	switch {
	case n.Shell != nil:
		return append(slices.Clone(n.Shell), host, remote)
	case IsHere(host):
		return []string{self, "node"}
	}
	return []string{"ssh", "-x", "-o", "BatchMode=yes", host, remote}
}

// notStarted says what to do where the program of command cannot be started.
func (n *Nodes) notStarted(err error) error {
	switch {
	case n.Shell != nil:
		return fmt.Errorf("--rsh %s: %w: name a program that runs a command on a node, called with HOST COMMAND",
			strings.Join(n.Shell, " "), err)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: install it, or name another program by --rsh", err)
	}
	return err
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
	a.command.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { // of the user's own login
		return strings.HasPrefix(kv, sshVariable+"=")
	})
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
	a.link.Post(greeting{Timeout: a.l.nodes.Timeout, Check: a.l.checks, Here: a.here()})
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

// why says how a link has ended.
func (a *remote) why(err error) error {
	how := "its agent has ended"
	command, ended := a.command, a.waited
	if s := a.l.step; s != nil {
		command, ended = s.command, s.ended
	}
	select {
	case <-ended:
		if command != nil && command.ProcessState != nil && !command.ProcessState.Success() {
			if status, killed := a.killed(command.ProcessState); killed {
				return fmt.Errorf("its pvasrun %s, which ends the %d ranks there", fate.Describe(status), a.alive)
			}
			how = fmt.Sprintf("%s: %v", command.Args[0], command.ProcessState)
		}
	default:
	}
	if errors.Is(err, errNoAgent) || errors.Is(err, errVersion) { // which may have ended of our not listening
		how, err = err.Error(), nil
	}
	how += a.words(": ")
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		how += ": " + err.Error()
	}
	return errors.New(how)
}

// words are the last ones of what the node, or the command that has started it, has said: behind a separator, unless
// there are none.
func (a *remote) words(separator string) string {
	text := a.said.String()
	if s := a.l.step; s != nil {
		text = s.said.String() + text
	}
	if text == "" {
		return ""
	}
	return separator + lastLines(text)
}

// killed tells whether a signal has killed the agent, as far as the command that has started it says so: it is the
// agent itself, or passes on the exit code of the shell around it.
func (a *remote) killed(state *os.ProcessState) (status syscall.WaitStatus, ok bool) {
	own, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case a.ready == nil || a.command == nil:
		return 0, false
	case a.here():
		return own, own.Signaled()
	}
	sig := own.ExitStatus() - fate.CodeSignal
	return syscall.WaitStatus(sig), sig > 0 && sig <= lastSignal
}

// lastSignal is the last signal that Linux has.
const lastSignal = 64

// endAgents waits for the commands, and kills those that do not end. Nobody takes events any more: an agent that is
// still read, such as one that a signal asks to end when its part is over, must not wait for that.
func (l *leader) endAgents() {
	close(l.done)
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
