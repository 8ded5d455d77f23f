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
	"runtime"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/suci"
)

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
	if err := p.begin(c.Nodes()); err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err == nil {
		_, err = in.Write(append(text, '\n'))
	}
	return p, err
}

// begin starts the process as a rank is started. If nodes are at least as many as CPUs, it has GOMAXPROCS=1. The
// monitor of its threads has the slack of a rank's: see job.StartWithMonitorSlack.
func (p *process) begin(nodes int) error {
	cpus := runtime.NumCPU()
	if nodes >= cpus && os.Getenv("GOMAXPROCS") == "" {
		p.cmd.Env = append(p.cmd.Environ(), "GOMAXPROCS=1")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer sys.SetTimerSlack(sys.TimerSlack())
	job.StartWithMonitorSlack(job.MonitorSlackOf(nodes, cpus))
	return p.cmd.Start()
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

// nodeCommand is what a process of a node is called with. It reads an order from its
// standard input, and ends when that does.
const nodeCommand = "suci-node"

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
