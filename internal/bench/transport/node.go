package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gopvas/gopvas/suci"
)

// nodeCommand is what a process of a node is called with. It reads an order from its
// standard input, and ends when that does.
const nodeCommand = "suci-node"

// waitDelay is how long the output of a command may stay open after it has ended.
const waitDelay = 5 * time.Second

// order says what the process of a node is to do: to serve, or to measure if it has
// experiments.
type order struct {
	Self        Node
	Key         suci.Key
	TCP         bool
	Port        netip.AddrPort
	Start       int
	Spin        time.Duration
	Others      map[Node]netip.AddrPort
	Experiments []Experiment
}

// NodeMain is the process of a node, if the arguments are those of one.
func NodeMain(args []string) bool {
	if len(args) != 1 || args[0] != nodeCommand {
		return false
	}
	if err := nodeMain(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
		os.Exit(1)
	}
	return true
}

func nodeMain(in io.Reader, out io.Writer) error {
	from := bufio.NewReader(in)
	line, err := from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("transport: read order: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("transport: read order: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, from)
		cancel() // the process that has started this one has ended
	}()
	c, err := o.open()
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // the process ends
	if len(o.Experiments) > 0 {
		return o.measure(ctx, c, json.NewEncoder(out))
	}
	if _, err := fmt.Fprintln(out, "ready"); err != nil {
		return err
	}
	if err := Serve(ctx, c); ctx.Err() == nil {
		return err
	}
	return nil
}

func (o *order) open() (Carrier, error) {
	if o.TCP {
		return openTCP(o.Self, o.Port)
	}
	return OpenSuci(suci.Options{Self: suci.ID(o.Self), Key: o.Key, Listen: o.Port, Start: o.Start, Spin: o.Spin})
}

// measure makes the experiments, and writes the result of each.
func (o *order) measure(ctx context.Context, c Carrier, out *json.Encoder) error {
	for n, at := range o.Others {
		if err := c.Reach(n, at); err != nil {
			return err
		}
	}
	if err := introduce(ctx, c, o.Self, o.Port, o.Others); err != nil {
		return err
	}
	for _, e := range o.Experiments {
		r, err := e.run(ctx, c, o)
		if err != nil {
			return fmt.Errorf("transport: %s of %d bytes: %w", e.Name, e.Bytes, err)
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// sent adds up what all nodes have sent, and sent again.
func (o *order) sent(ctx context.Context, c Carrier) (packets, again uint64, err error) {
	if o.TCP {
		return 0, 0, nil
	}
	states := []State{c.State()}
	for n := range o.Others {
		s, err := Ask(ctx, c, n)
		if err != nil {
			return 0, 0, err
		}
		states = append(states, s)
	}
	for _, s := range states {
		packets += s.Counters.PacketsOut
		again += s.Counters.Resent
	}
	return packets, again, nil
}

// process is a process of a node.
type process struct {
	cmd    *exec.Cmd
	in     io.Closer
	out    *bufio.Reader
	errors strings.Builder
}

// start starts this program as the process of a node.
func (c *Cluster) start(ctx context.Context, node int, o *order) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: c.Command(ctx, node, self, nodeCommand)}
	p.cmd.Stderr, p.cmd.WaitDelay = &p.errors, waitDelay
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err == nil {
		_, err = in.Write(append(text, '\n'))
	}
	return p, err
}

// line reads a line of the process.
func (p *process) line() ([]byte, error) {
	b, err := p.out.ReadBytes('\n')
	if err != nil {
		_ = p.in.Close()
		failed := p.cmd.Wait()
		err = errors.Join(fmt.Errorf("transport: a process of a node has ended: %w", err), failed,
			errors.New(strings.TrimSpace(p.errors.String())))
	}
	return b, err
}

// end has the process end, and waits for it.
func (p *process) end() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
