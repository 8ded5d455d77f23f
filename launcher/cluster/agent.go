package cluster

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/internal/node/nofile"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/pvas"
)

// NodeMain is the agent: pvasrun on one node of a job, started by the leader with their
// link as its standard input and output. It runs the node's part of the job as Run does
// any job, and ends it when the leader does not answer any more. The leader may ask for
// instruments by their names. The result is the exit code of the process.
func NodeMain(instruments map[string]Instrument) int {
	return agentCode(runAgent(os.Stdin, os.Stdout, sshStream(), instruments))
}

// agentCode prints the error of an agent, and returns its exit code.
func agentCode(err error) int {
	if err != nil {
		fmt.Fprintf(os.Stderr, "pvasrun node: %v\n", err)
		return fate.CodeError
	}
	return 0
}

// runAgent is NodeMain over some connection. below is that of TCP, if it is known.
func runAgent(in io.Reader, out io.Writer, below sys.Stream, instruments map[string]Instrument) error {
	defer fate.CatchPipe()()
	host.ShortenSlices()
	// Of a terminal: the leader passes on the signals for ranks. It is caught and not
	// ignored, since the ranks would inherit that.
	_, _ = fate.Catch(syscall.SIGINT)
	ends, _ := fate.Catch(syscall.SIGTERM, syscall.SIGHUP)
	if _, err := io.WriteString(out, linkMagic+linkVersion); err != nil {
		return fmt.Errorf("launcher: leader of the job: %w", err)
	}
	a := &agent{link: newLink(in, out), output: newWindow(), data: newWindow(), below: below,
		instruments: instruments}
	ctx, cancel := context.WithCancelCause(context.Background())
	a.cancel = cancel
	go a.passEnds(ends)
	return a.serve(ctx)
}

// agent is the state of NodeMain.
type agent struct {
	link   *link
	below  sys.Stream // its connection of TCP
	cancel context.CancelCauseFunc
	output *window
	orders orders
	input  output.Queue // to the standard input of ranks
	stdin  *os.File     // the far end of it; nil: there is none

	instruments map[string]Instrument // by name
	ends        []func()              // of those that are attached
	data        *window               // of the ranks' output
}

// orders to the supervisor wait for it in a queue.
type orders struct {
	output.Queue
	to chan part.Order
}

// serve greets the leader, and runs its job.
func (a *agent) serve(ctx context.Context) error {
	// A leader that was cut off may never greet, nor may the connection end.
	patience := time.AfterFunc(startTime, func() { os.Exit(fate.CodeError) })
	var g greeting
	err := a.link.Receive(&g)
	patience.Stop()
	if err != nil {
		return fmt.Errorf("launcher: it is started by pvasrun --hosts only: %w", err)
	}
	r := getReady(g.Check)
	r.Below = a.below
	if err := a.link.Send(note{Ready: r}); err != nil {
		return err
	}
	a.link.timeout, a.link.kernel = g.Timeout, kernelOf(g.Here, a.below, g.Timeout)
	ended := make(chan struct{})
	defer close(ended)
	go a.link.beat(note{Beat: true}, ended, a.loseLeader)
	first, err := a.awaitStart(ctx)
	if err != nil {
		return err
	}
	j, err := a.prepare(first)
	if err != nil {
		return a.link.Send(note{Finished: &finished{Err: err.Error(), Code: fate.CodeError}})
	}
	go a.listen(ended)
	stop := context.AfterFunc(ctx, a.data.close) // nothing reads the output of instruments any more
	defer stop()
	result, err := launcher.Run(ctx, *j)
	for _, end := range a.ends {
		end()
	}
	lost := context.Cause(ctx)
	a.output.close()
	end := &finished{Code: launcher.ExitCode(err)}
	if result != nil {
		end.BTL, end.Reason, end.Code = result.BTL, result.Reason, result.Code
	}
	if err != nil {
		end.Err = err.Error()
	}
	a.link.Post(note{Finished: end})
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		a.link.Flush()
	}()
	select {
	case <-sent:
		return nil
	case <-ctx.Done(): // the leader knows, and has ended; or nobody is there to be told
		return lost
	}
}

// passEnds tells the leader of signals that ask for an end. Slurm sends them to all nodes: so
// the leader decides, once for all.
func (a *agent) passEnds(ends <-chan os.Signal) {
	for sig := range ends {
		if number, ok := sig.(syscall.Signal); ok {
			a.link.Post(note{Asked: number})
		}
	}
}

// awaitStart waits for the job. Until then the leader sends nothing but signs of life, and what Check asks.
func (a *agent) awaitStart(ctx context.Context) (*start, error) {
	var s *start
	got := make(chan error, 1)
	go func() {
		var p probe
		defer p.over.Store(true)
		for s == nil {
			var o order
			err := a.receive(&o)
			if err == nil {
				err = a.probe(&p, &o)
			}
			if err != nil {
				got <- fmt.Errorf("launcher: leader of the job: %w", err)
				return
			}
			s = o.Start
		}
		got <- nil
	}()
	select {
	case err := <-got:
		return s, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// probe carries out an order of Check.
func (a *agent) probe(p *probe, o *order) error {
	switch {
	case o.Open != nil:
		d, err := p.open(o.Open.Devices)
		if err != nil {
			return err
		}
		a.link.Post(note{Doors: d})
	case o.Call != nil:
		go func() { // the leader is to be heard meanwhile
			defer p.close()
			p.run(*o.Call, func() { a.link.Post(note{Called: true}) }, func(h *heard) { a.link.Post(note{Heard: h}) })
		}()
	case o.CallOver:
		p.over.Store(true)
	}
	return nil
}

// loseLeader ends the job: the leader is not heard any more. The agent sends it nothing from then on. The leader may
// still hear this node, and must learn that the node is lost before it learns that ranks were killed.
func (a *agent) loseLeader(err error) {
	a.link.Mute()
	a.cancel(fmt.Errorf("launcher: leader of the job: %w", err))
}

// receive receives an order, and answers at once if it asks for the time.
func (a *agent) receive(o *order) error {
	err := a.link.Receive(o)
	if err == nil && o.Clock != 0 {
		a.link.Post(note{Clock: &clockTime{Begin: o.Clock, There: sys.Monotonic()}})
		o.Clock = 0
	}
	return err
}

// listen handles orders. When the link ends it ends the job.
func (a *agent) listen(ended <-chan struct{}) {
	for {
		var o order
		if err := a.receive(&o); err != nil {
			a.loseLeader(err)
			return
		}
		if o.Took > 0 {
			a.output.give(o.Took)
		}
		if o.TookData > 0 {
			a.data.give(o.TookData)
		}
		if o.Pause || o.Signal == syscall.SIGCONT {
			a.link.paused.Store(o.Pause)
		}
		if a.stdin != nil && (o.Input != nil || o.InputEnd) {
			a.input.Put(func() { a.feed(o) })
		}
		if o.InputAsked {
			a.input.Put(func() { a.link.Post(note{Reader: &reader{a.stdin != nil && output.Awaited(a.stdin)}}) })
		}
		a.orders.Put(func() {
			select {
			case a.orders.to <- o.Order:
			case <-ended:
			}
		})
	}
}

// feed passes input on to the ranks that read it.
func (a *agent) feed(o order) {
	_, _ = a.stdin.Write(o.Input) // an error: the rank reads no more
	if o.InputEnd {
		a.stdin.Close()
	}
	a.link.Post(note{Took: len(o.Input)})
}

// prepare makes the leader's environment that of this process, and completes the job.
func (a *agent) prepare(s *start) (*launcher.Job, error) {
	for _, kv := range s.Env {
		if name, value, ok := strings.Cut(kv, "="); ok && !ownVariable(name) {
			if err := os.Setenv(name, value); err != nil {
				return nil, err
			}
		}
	}
	j := &s.Job
	if err := os.Chdir(s.Dir); err != nil && slices.ContainsFunc(j.Apps, needsDir) {
		return nil, fmt.Errorf("launcher: working directory: %w; it must be there on every node, or give "+
			"--wdir DIR with one that is", err)
	}
	j.StackSize = stackHere(j.StackSize, s.Stack)
	a.orders.to = make(chan part.Order)
	j.Part.Orders, j.Part.Tell = a.orders.to, func(n part.Note) { a.link.Post(note{Note: n}) }
	j.Stdout, j.Stderr = &linkWriter{a, false}, &linkWriter{a, true}
	if s.Verbose {
		j.Log = func(format string, args ...any) {
			a.link.Post(note{Log: j.Part.Prefix() + fmt.Sprintf(format, args...)})
		}
	}
	if s.Input {
		near, far, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		j.Stdin, a.stdin = near, far
		if !s.Answers {
			j.Stdin = struct{ io.Reader }{near} // no pipe to the launcher either
		}
	}
	return j, a.attach(j, s.Instruments)
}

// needsDir tells whether ranks of a program need the leader's directory.
func needsDir(app launcher.App) bool { return !filepath.IsAbs(app.Dir) }

// ownVariable tells whether a variable of the environment belongs to the node.
func ownVariable(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "TMPDIR", "XDG_RUNTIME_DIR", "DISPLAY", "PWD",
		"OLDPWD", "SHLVL", "_":
		return true
	}
	return strings.HasPrefix(name, "SSH_") || strings.HasPrefix(name, "SLURM") || strings.HasPrefix(name, "PMI") ||
		strings.HasPrefix(name, "PVAS_")
}

// linkWriter is the standard output or error of the job, at the leader.
type linkWriter struct {
	a      *agent
	errors bool
}

// Write implements io.Writer. It waits while the leader has too much to pass on.
func (w *linkWriter) Write(b []byte) (int, error) {
	if !w.a.output.take(len(b)) {
		return 0, io.ErrClosedPipe
	}
	if err := w.a.link.Send(note{Output: b, Errors: w.errors}); err != nil {
		return 0, err
	}
	return len(b), nil
}

// getReady describes this node, and more of it for a check.
func getReady(check bool) *ready {
	r := &ready{Build: linkage.Build()}
	r.Hostname, _ = os.Hostname()
	r.Tight = sys.SoftLimit(sys.RlimitFsize) != sys.Unlimited
	if cpus, err := sys.Affinity(); err == nil {
		r.CPUs = limits.CPUs(len(cpus))
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/net")
	r.Network = strings.TrimSpace(string(boot)) + " " + space
	var devices []int
	r.Addresses, devices, _ = sys.Addresses() // none: the leader says that
	for _, number := range devices {
		r.Names = append(r.Names, sys.DeviceName(number))
	}
	if check {
		r.describe()
	}
	return r
}

// sshStream is the connection of ssh by which this node was reached, if it was so.
func sshStream() (s sys.Stream) {
	words := strings.Fields(os.Getenv(sshVariable))
	if len(words) != 4 {
		return s
	}
	end := func(address, port string) netip.AddrPort { // not valid: it is not known
		at, _ := netip.ParseAddr(address)
		number, _ := strconv.ParseUint(port, 10, 16)
		return netip.AddrPortFrom(at.Unmap(), uint16(number))
	}
	return sys.Stream{Here: end(words[2], words[3]), There: end(words[0], words[1])}
}

// sshVariable is what sshd tells its processes of their connection: address and port of the client, then of itself.
const sshVariable = "SSH_CONNECTION"

// describe answers Check.
func (r *ready) describe() {
	for _, name := range r.Names {
		if sys.LinkDown(name) && !slices.Contains(r.Down, name) {
			r.Down = append(r.Down, name)
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	r.Kernel = strings.TrimSpace(string(kernel))
	_, r.Files, _ = nofile.Original()
	if err := pvas.Supported(); err != nil {
		r.Space = err.Error()
	}
	r.Clock = time.Now()
}

// stackHere is the stack size of a node's ranks: what was chosen, else as much of the leader's own limit as there is.
func stackHere(chosen, leader uint64) uint64 {
	hard := sys.HardLimit(sys.RlimitStack)
	switch {
	case chosen != 0:
		return chosen
	case hard < limits.LeastStack:
		return 0 // its own, which is refused
	}
	return min(leader, hard)
}
