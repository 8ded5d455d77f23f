package comm

import (
	"context"
	"io"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/btl/net"
	"github.com/gopvas/gopvas/internal/job"
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
func (c *Comm) flushNetworks() error {
	for _, n := range c.networks {
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
	r := c.resource
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
