package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/recording"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
	"github.com/gopvas/gopvas/trace"
)

// What instruments on the nodes of a job see, by their names.
var instruments = map[string]cluster.Instrument{"trace": recordNode, "pagetable": meterNode}

// recordNode records the ranks of a node.
func recordNode(j *launcher.Job, to io.Writer) (func(), error) {
	new(recording.Tracing).Record(j, to) // an error shows in what the leader gets
	return nil, nil
}

// seen is what this process, which leads a job on several nodes, gets of their instruments.
type seen struct {
	nodes []cluster.NodeInfo
	trace *nodesTrace
	meter *nodesMeter
}

// instrument makes the nodes do what --trace and --report ask for. Under --pmi another process may
// turn out to lead: no file is made before that is known.
func (f *Flags) instrument(j *launcher.Job) *seen {
	s := &seen{}
	n := &f.nodes
	n.Attach = instruments
	if f.Trace != "" {
		s.trace = &nodesTrace{path: f.Trace, meta: trace.Meta{
			Started: time.Now().UTC(), Algorithms: coll.AlgorithmNames(), Command: recording.CommandOf(j.Apps),
		}}
		n.Instruments = append(n.Instruments, "trace")
		j.TraceSize = os.Getpagesize() // each node has its own: the leader is to know that ranks are recorded
	}
	if f.Report == "pagetable" {
		s.meter = &nodesMeter{}
		n.Instruments = append(n.Instruments, "pagetable")
	}
	n.Measuring = func(nodes []cluster.NodeInfo, node []int, now time.Duration) error {
		s.nodes = nodes
		if s.trace == nil {
			return nil
		}
		return s.trace.begin(nodes, node, now)
	}
	n.Measured = func(p cluster.Piece) {
		switch { // what nobody asked for is ignored
		case p.Instrument == "trace" && s.trace != nil:
			s.trace.take(&p)
		case p.Instrument == "pagetable" && s.meter != nil:
			s.meter.take(&p)
		}
	}
	return s
}

// end is called when the job has ended, or could not run.
func (s *seen) end() {
	if s.trace != nil {
		s.trace.end()
	}
}

// print prints what is to be read.
func (s *seen) print(w io.Writer) error {
	if s.meter == nil {
		return nil
	}
	return s.meter.print(w, s.nodes)
}

// nodesTrace is --trace of a job on several nodes. Each node's pvasrun records the ranks there;
// what it would write to a file comes here, through a pipe to a goroutine that adds it to the one
// file.
type nodesTrace struct {
	path  string
	meta  trace.Meta
	file  *os.File
	joint *trace.Joint
	parts []nodeTrace
	takes sync.WaitGroup
}

type nodeTrace struct {
	name  string
	to    *io.PipeWriter
	ahead atomic.Int64 // cluster.Piece.Ahead
	err   error        // of its goroutine
}

// begin makes the file, when the nodes and their clocks are known.
func (t *nodesTrace) begin(nodes []cluster.NodeInfo, node []int, now time.Duration) (err error) {
	if t.file, err = recording.CreateAlone(t.path); err != nil {
		return cli.Mistake(fmt.Errorf("--trace: %w", err))
	}
	t.meta.Nodes, t.meta.BaseNS = node, int64(now)
	for _, n := range nodes {
		t.meta.Hosts = append(t.meta.Hosts, n.Name)
		t.meta.ClockErrorNS = append(t.meta.ClockErrorNS, int64(n.ClockError))
	}
	t.joint = trace.NewJoint(t.file, t.meta)
	t.parts = make([]nodeTrace, len(nodes))
	for number := range t.parts {
		p := &t.parts[number]
		p.name = nodes[number].Name
		var from *io.PipeReader
		from, p.to = io.Pipe()
		t.takes.Go(func() {
			p.err = t.joint.Take(number, from, func() time.Duration { return time.Duration(p.ahead.Load()) })
			from.CloseWithError(io.ErrClosedPipe) // more is not waited for
		})
	}
	return nil
}

// take takes a piece of a node's file.
func (t *nodesTrace) take(piece *cluster.Piece) {
	p := &t.parts[piece.Node]
	p.ahead.Store(int64(piece.Ahead))
	_, _ = p.to.Write(piece.Data) // an error is that of Take
}

// end ends the file. What is missing is no failure of the job.
func (t *nodesTrace) end() {
	if t.file == nil {
		return
	}
	for i := range t.parts {
		_ = t.parts[i].to.Close()
	}
	t.takes.Wait()
	for i := range t.parts {
		if p := &t.parts[i]; p.err != nil {
			recording.WarnOfTrace(fmt.Errorf("node %s: %w", p.name, p.err))
		}
	}
	if err := errors.Join(t.joint.End(), t.file.Close()); err != nil {
		recording.WarnOfTrace(err)
	}
}
