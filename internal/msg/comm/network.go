package comm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/net"
	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Network is a module by which a rank reaches those of other nodes.
type Network struct {
	Messages btl.Messages
	Reaches  func(rank int) bool // of the job: see pml.Engine.AddPeers
}

// openNetwork opens the network of a rank, in a job of several nodes.
func openNetwork(root *job.Root, rank int) ([]Network, error) {
	if root.Nodes() == 1 {
		return nil, nil
	}
	m, err := net.Open(root, rank)
	if err != nil {
		return nil, err
	}
	return []Network{{m, func(rank int) bool { return root.Node(rank) != root.Here() }}}, nil
}

// flushNetworks waits until what this rank has sent to other nodes is at its receivers, or they
// have gone. Nothing is sent again once this process has ended.
func (p *process) flushNetworks() error {
	for _, n := range slices.Concat(p.networks, p.visits.networks()) {
		if f, ok := n.Messages.(interface{ Flush(context.Context) error }); ok {
			if err := f.Flush(context.Background()); err != nil {
				return err
			}
		}
	}
	return nil
}

// resource is what a layer above keeps for this process.
type resource struct {
	mu sync.Mutex
	of io.Closer
}

// Resource returns what open has made for this process, the same for all communicators. Finalize closes it. One layer
// has one.
func Resource(c *Comm, open func() (io.Closer, error)) (io.Closer, error) {
	r := &c.resource
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		of, err := open()
		if err != nil {
			return nil, err
		}
		r.of = of
	}
	return r.of, nil
}

// close closes what there is.
func (r *resource) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		return nil
	}
	of := r.of
	r.of = nil // MPI may begin anew
	return of.Close()
}

// Operator is this process' function for the name of an operator; nil: it has none.
func Operator(c *Comm, name uint64) func(inout, in []byte) {
	if c.resolve == nil {
		return nil
	}
	return c.resolve(name)
}

// Ranks of other jobs of the user, which a port has brought here. They are members as ranks of other
// nodes are, which share no memory with this one, with numbers that only this job knows (job.Root.AddVisitors). So
// what members of several jobs tell each other of ranks, they tell by names.

// visits is the network by which this process reaches them, unless it has one for other nodes: that reaches all. It is
// opened when it is first needed.
type visits struct {
	mu     sync.Mutex
	open   bool
	module *net.Module
}

// openVisits opens it.
func (p *process) openVisits() error {
	v := &p.visits
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open {
		return nil
	}
	if len(p.networks) > 0 {
		v.open = true
		p.engine.Among(partitioned.of(meetID), []int32{}) // anybody may connect
		return nil
	}
	m, err := net.Open(p.root, p.number)
	if err != nil {
		return fmt.Errorf("to reach other jobs: %w", err)
	}
	v.module, v.open = m, true
	p.engine.AddVisitors(m)
	p.engine.Among(partitioned.of(meetID), []int32{})
	return nil
}

// SeveralJobs tells whether ranks of other jobs are members of c.
func SeveralJobs(c *Comm) bool { return c.made() == nil && c.visited }

// networks are those of this process.
func (v *visits) networks() (list []Network) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.module != nil {
		list = append(list, Network{Messages: v.module})
	}
	return list
}

// among notes whether members of c, whose id is new, are of other worlds or jobs.
func (c *Comm) among(id uint32) {
	if !c.root.Several(c.group.self) && !job.Survives(c.root) {
		return
	}
	c.visited = slices.ContainsFunc(c.members.ranks, func(rank int32) bool { return c.root.Visits(int(rank)) })
	own := c.root.World(c.group.self)
	var all, peers []int32
	if foreign := func(rank int32) bool { return !own.Has(int(rank)) }; job.Survives(c.root) ||
		slices.ContainsFunc(c.members.ranks, foreign) {
		all, peers = c.members.ranks, c.peers.ranks
	}
	for p := range purposes {
		circle := all
		if p == pointToPoint {
			circle = peers
		}
		c.engine.Among(p.of(id), circle)
	}
}

// precedes tells whether the members of one group come before those of another: all jobs agree on that.
func (p *process) precedes(a, b []int32) bool {
	visits := func(rank int32) bool { return p.root.Visits(int(rank)) }
	if !slices.ContainsFunc(a, visits) && !slices.ContainsFunc(b, visits) {
		return slices.Min(a) < slices.Min(b)
	}
	least := func(ranks []int32) uint32 {
		name := p.root.NameOf(int(ranks[0]))
		for _, rank := range ranks[1:] {
			name = min(name, p.root.NameOf(int(rank)))
		}
		return name
	}
	return least(a) < least(b)
}

// encodeRanks puts the names of ranks into a message.
func (p *process) encodeRanks(ranks []int32) []byte {
	b := make([]byte, 0, 4*len(ranks))
	for _, rank := range ranks {
		b = binary.LittleEndian.AppendUint32(b, p.root.NameOf(int(rank)))
	}
	return b
}

// decodeRanks returns the ranks of such a message. Those of jobs that this one has not met yet become visitors.
func (p *process) decodeRanks(b []byte) ([]int32, error) {
	if len(b) < 4 {
		return nil, errors.New("the other group has told of no rank: its own errors say why")
	}
	ranks := make([]int32, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		name := binary.LittleEndian.Uint32(b)
		rank, ok := p.root.Named(name)
		if !ok {
			if _, err := p.root.Ask(p.number, job.AskName, strconv.Itoa(job.NumberIn(name))); err != nil {
				return nil, err
			}
			if rank, ok = p.root.Named(name); !ok {
				return nil, fmt.Errorf("%w: a rank of the other group is of a job that has ended", ErrPort)
			}
		}
		if p.root.Visits(rank) {
			if err := p.openVisits(); err != nil {
				return nil, err
			}
		}
		ranks = append(ranks, int32(rank))
	}
	return ranks, nil
}

// DeviceUse is what this rank has done with a network device.
type DeviceUse = job.DeviceUse

// Flight is a piece of a message that a network device has sent.
type Flight = devices.Flight

// Devices returns what this process' rank has done with each network device to other nodes,
// none before Init and in a job of one node.
func Devices() []DeviceUse {
	if m := network(); m != nil {
		return m.Devices().Uses()
	}
	return nil
}

// Flights returns the last pieces of long messages that this rank has sent through several
// devices, by the time of their start. It is for pictures.
func Flights() []Flight {
	if m := network(); m != nil {
		return m.Devices().Flights()
	}
	return nil
}

// MessageDevices are the network devices of this process' messages to other nodes, nil if there are none.
func MessageDevices(c *Comm) *devices.Set {
	if m := c.network(); m != nil {
		return m.Devices()
	}
	return nil
}

// network returns the module for other nodes, nil if there is none.
func network() *net.Module {
	world := World()
	if world == nil {
		return nil
	}
	return world.network()
}

func (p *process) network() *net.Module {
	for _, n := range p.networks {
		if m, ok := n.Messages.(*net.Module); ok {
			return m
		}
	}
	return nil
}
