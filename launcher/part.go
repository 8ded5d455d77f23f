package launcher

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
)

// A part is the supervisor's knowledge of a job on several nodes: see
// RunNodes. In a job of one node it is nil; the methods that only read return zeros then.
type part struct {
	partSpec
	name string // of the node

	reportDevices bool

	// Orders of the leader. The supervisor obeys one at a time.
	order chan order
	// tell tells the leader something, and does not wait.
	tell func(note)

	last []job.Record // at the end of the ranks
}

// partSpec is the leader's share of a part.
type partSpec struct {
	Node  int
	First int        // number of its first rank in the job
	Nodes []int      // node by rank, of all ranks
	Host  netip.Addr // by which others reach this node

	Devices []netip.Addr // all of the node's that reach others; the first is Host
	Key     job.Key
	CPUs    int // of all nodes
}

func (p *part) orders() <-chan order {
	if p == nil {
		return nil
	}
	return p.order
}

// describe completes the description of the job's memory.
func (p *part) describe(c *job.Config) {
	if p != nil {
		c.Nodes, c.Node, c.Host, c.Devices = p.Nodes, p.Node, p.Host, p.Devices
		c.Key, c.AllCPUs = p.Key, p.CPUs
	}
}

// prefix is the beginning of the supervisor's messages.
func (p *part) prefix() string {
	if p == nil {
		return ""
	}
	return p.name + ": "
}

// first returns the number in the whole job of the first rank here. Ranks of other nodes come
// before and after; a supervisor counts its own from 0.
func (j *Job) first() int {
	if j.part == nil {
		return 0
	}
	return j.part.First
}

// Total returns the number of ranks of the whole job, also if this is a node's part of it.
func (j *Job) Total() int {
	if j.part == nil {
		return j.size()
	}
	return len(j.part.Nodes)
}

// sentProgram is a program that the leader has sent.
func sentProgram(typed string, image *os.File) *program {
	return &program{path: descriptorPath(os.Getpid(), image), name: filepath.Base(typed), file: image}
}

// joinNodes begins to tell the leader where the ranks of this node are reached. What is
// known of others by then is noted.
func (s *supervisor) joinNodes() {
	if s.job.part == nil {
		return
	}
	for _, o := range s.unheard {
		s.obey(o)
	}
	s.unheard = nil
	s.told.Go(func() { s.tellAddresses(s.nodesEnd) })
}

// tellAddresses runs until the memory is closed.
func (s *supervisor) tellAddresses(ctx context.Context) {
	root := s.memory.Root()
	told := make([]bool, s.size)
	for seen := uint32(0); ; {
		n, err := root.AwaitAddresses(ctx, seen)
		if err != nil {
			return
		}
		seen = n
		var list []address
		for i := range told {
			if a, ok := root.Address(s.job.first() + i); ok && !told[i] {
				told[i] = true
				list = append(list, address{s.job.first() + i, a})
			}
		}
		if list != nil {
			s.job.part.tell(note{Addresses: list})
		}
	}
}

// tellEnd tells the leader that a rank of this node has ended.
func (s *supervisor) tellEnd(rank, pid int, status syscall.WaitStatus) {
	if s.job.part == nil {
		return
	}
	state := s.memory.Root().State(s.job.first() + rank)
	s.job.part.tell(note{Ended: &rankEnd{s.job.first() + rank, pid, state, status}})
}

// records returns the records of the ranks here from the root block.
func (s *supervisor) records() (list []job.Record) {
	if s.memory == nil {
		return nil
	}
	now := time.Duration(sys.Monotonic())
	for rank := range s.size {
		list = append(list, s.memory.Root().Record(s.job.first()+rank, now))
	}
	return list
}

// obey carries out an order of the leader.
func (s *supervisor) obey(o order) {
	switch {
	case o.Kill:
		s.fate.kill(codeError)
	case o.End:
		s.fate.end(codeError)
	case o.Hang:
		s.askHang(nil)
	case o.Look > 0:
		s.beginLook(o.Look)
	case o.Signal != 0 && s.phase == working:
		s.whenStarted(o.Signal, func() { s.signalRanks(o.Signal) })
	case s.memory == nil:
		s.unheard = append(s.unheard, o)
	}
	if s.memory == nil {
		return
	}
	root := s.memory.Root()
	for _, a := range o.Addresses {
		root.SetAddress(a.Rank, a.Addr)
	}
	for _, g := range o.Gone {
		root.SetState(g.Rank, g.State)
		root.MarkGone(g.Rank)
	}
}
