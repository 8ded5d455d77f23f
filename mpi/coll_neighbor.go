package mpi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/coll/cad"
)

// NeighborAllgather sends send to all neighbours of the communicator's topology that
// this rank sends to, and receives the same from each that it receives from: recv has
// one block as long as send for each of those, in their order. The block of a
// neighbour that a border leaves out stays as it is. It waits for neighbours only.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_allgather).
func NeighborAllgather[T any](c *Comm, send, recv []T) error {
	return neighborAllgatherCall(c, send, recv).run()
}

func neighborAllgatherCall[T any](c *Comm, send, recv []T) neighborCall {
	return c.neighborly("neighbor_allgather", func(sources, destinations int, err *error) (out, in coll.Buffer) {
		b := own(send, err)
		in = blocks(recv, len(send), err)
		out = coll.Buffer{Data: b.Data, Counts: make([]int, destinations), Displs: make([]int, destinations), Unit: 1}
		for i := range out.Counts {
			out.Counts[i] = len(b.Data)
		}
		return out, in
	})
}

// NeighborAlltoall is NeighborAllgather with a block of its own for each neighbour that
// this rank sends to: send has one block for each of those, in their order, and recv
// one for each that it receives from. How long a block is follows from the longer of
// the buffers.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_alltoall).
func NeighborAlltoall[T any](c *Comm, send, recv []T) error {
	return neighborAlltoallCall(c, send, recv).run()
}

func neighborAlltoallCall[T any](c *Comm, send, recv []T) neighborCall {
	return c.neighborly("neighbor_alltoall", func(sources, destinations int, err *error) (out, in coll.Buffer) {
		count := 0
		switch {
		case destinations > 0:
			count = len(send) / destinations
		case sources > 0:
			count = len(recv) / sources
		}
		return blocks(send, count, err), blocks(recv, count, err)
	})
}

// NeighborAlltoallv is NeighborAlltoall with blocks of different lengths; counts and
// displs have one entry for each neighbour, nil displs: one behind the other.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_alltoallv).
func NeighborAlltoallv[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	return neighborAlltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).run()
}

func neighborAlltoallvCall[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) neighborCall {
	return c.neighborly("neighbor_alltoallv", func(_, _ int, err *error) (out, in coll.Buffer) {
		return irregular(send, sendCounts, sendDispls, err), irregular(recv, recvCounts, recvDispls, err)
	})
}

// NeighborAllgatherv is NeighborAllgather with parts of different lengths: counts has
// the number of elements from each source, displs where they go in recv; nil: one
// behind the other.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_allgatherv).
func NeighborAllgatherv[T any](c *Comm, send, recv []T, counts, displs []int) error {
	return neighborAllgathervCall(c, send, recv, counts, displs).run()
}

func neighborAllgathervCall[T any](c *Comm, send, recv []T, counts, displs []int) neighborCall {
	return c.neighborly("neighbor_allgatherv", func(_, destinations int, err *error) (out, in coll.Buffer) {
		b := own(send, err)
		out = coll.Buffer{Data: b.Data, Counts: make([]int, destinations), Displs: make([]int, destinations), Unit: 1}
		for i := range out.Counts {
			out.Counts[i] = len(b.Data)
		}
		return out, irregular(recv, counts, displs, err)
	})
}

// neighborly exchanges the blocks that buffers makes for so many neighbours.
func (c *Comm) neighborly(op string, buffers func(sources, destinations int, err *error) (out, in coll.Buffer)) neighborCall {
	return c.alongEdges(op, func(sources, destinations []int) (out, in [][]byte, err error) {
		send, recv := buffers(len(sources), len(destinations), &err)
		if err == nil {
			err = send.Check("send buffer", len(destinations))
		}
		if err == nil {
			err = recv.Check("receive buffer", len(sources))
		}
		if err != nil {
			return nil, nil, err
		}
		return partsOf(send, len(destinations)), partsOf(recv, len(sources)), nil
	})
}

// partsOf returns the blocks of a buffer.
func partsOf(b coll.Buffer, blocks int) [][]byte {
	parts := make([][]byte, blocks)
	for i := range parts {
		parts[i] = b.Part(i)
	}
	return parts
}

// neighborCall is a neighbourhood operation that is to be done, begun or prepared.
type neighborCall struct {
	c  *Comm
	op string
	coll.Exchange
}

// alongEdges exchanges with each neighbour what data returns for it.
func (c *Comm) alongEdges(op string, data func(sources, destinations []int) (out, in [][]byte, err error)) neighborCall {
	k := neighborCall{c: c, op: op}
	sources, destinations, err := c.neighbors()
	if err != nil {
		k.Wrong = err
		return k
	}
	out, in, err := data(sources, destinations)
	if k.Wrong = err; err != nil {
		// Nothing instead of what they expect, so that the neighbours do not wait.
		out, in = make([][]byte, len(destinations)), make([][]byte, len(sources))
	}
	k.Out, k.In = c.edges(out, in, sources, destinations)
	return k
}

// run does it.
func (k neighborCall) run() error {
	if err := k.c.begin(); err != nil {
		return opError(k.op, err)
	}
	defer k.c.mu.Unlock()
	return opError(k.op, bare(k.c.team.Neighbors(k.Exchange)))
}

// begin begins it as a nonblocking operation.
func (k neighborCall) begin() (Request, error) {
	g, err := k.graph()
	r, err := k.c.issue(g, err)
	return r, nonblockingError(k.op, err)
}

// prepare makes a persistent request for it.
func (k neighborCall) prepare() (Request, error) {
	g, err := k.graph()
	r, err := k.c.prepare(g, err)
	return r, persistentError(k.op, err)
}

func (k neighborCall) graph() (*cad.Graph, error) {
	g, err := k.c.team.NeighborsGraph(k.Exchange)
	return g, bare(err)
}

// edges are the messages. On a grid the same two ranks may be neighbours in several
// directions: the tag is the place among the receiver's sources.
func (c *Comm) edges(out, in [][]byte, sources, destinations []int) (sends, receives []coll.Edge) {
	ordered := false // whether the order tells messages apart
	for i, to := range destinations {
		tag := c.topology.mirror(i)
		if tag < 0 {
			tag, ordered = 0, true
		}
		sends = append(sends, coll.Edge{Member: to, Tag: tag, Data: out[i]})
	}
	for i, from := range sources {
		tag := i
		if ordered || len(destinations) == 0 {
			tag = 0
		}
		receives = append(receives, coll.Edge{Member: from, Tag: tag, Data: in[i]})
	}
	return sends, receives
}
