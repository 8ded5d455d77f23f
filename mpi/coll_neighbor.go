package mpi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// NeighborAllgather sends send to all neighbours of the communicator's topology that
// this rank sends to, and receives the same from each that it receives from: recv has
// one block as long as send for each of those, in their order. The block of a
// neighbour that a border leaves out stays as it is. It waits for neighbours only.
// send and recv have no memory in common.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_allgather).
func NeighborAllgather[T any](c *Comm, send, recv []T) error {
	return neighborAllgatherCall(c, send, recv).Run()
}

func neighborAllgatherCall[T any](c *Comm, send, recv []T) comm.NeighborCall {
	return neighborly(c, "neighbor_allgather", func(sources, destinations int, err *error) (out, in coll.Buffer) {
		repeated(&out, send, destinations, err)
		blocks(&in, recv, len(send), err)
		return out, in
	})
}

// NeighborAlltoall is NeighborAllgather with a block of its own for each neighbour that
// this rank sends to: send has one block for each of those, in their order, and recv
// one for each that it receives from. How long a block is follows from the longer of
// the buffers.
// send and recv have no memory in common.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_alltoall).
func NeighborAlltoall[T any](c *Comm, send, recv []T) error {
	return neighborAlltoallCall(c, send, recv).Run()
}

func neighborAlltoallCall[T any](c *Comm, send, recv []T) comm.NeighborCall {
	return neighborly(c, "neighbor_alltoall", func(sources, destinations int, err *error) (out, in coll.Buffer) {
		count := 0
		switch {
		case destinations > 0:
			count = len(send) / destinations
		case sources > 0:
			count = len(recv) / sources
		}
		blocks(&out, send, count, err)
		blocks(&in, recv, count, err)
		return out, in
	})
}

// NeighborAlltoallv is NeighborAlltoall with blocks of different lengths; counts and
// displs have one entry for each neighbour, nil displs: one behind the other.
// send and recv have no memory in common.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_alltoallv).
func NeighborAlltoallv[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) error {
	return neighborAlltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).Run()
}

func neighborAlltoallvCall[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) comm.NeighborCall {
	return neighborly(c, "neighbor_alltoallv", func(_, _ int, err *error) (out, in coll.Buffer) {
		irregular(&out, send, sendCounts, sendDispls, err)
		irregular(&in, recv, recvCounts, recvDispls, err)
		return out, in
	})
}

// NeighborAllgatherv is NeighborAllgather with parts of different lengths: counts has
// the number of elements from each source, displs where they go in recv; nil: one
// behind the other.
// send and recv have no memory in common.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_allgatherv).
func NeighborAllgatherv[T any](c *Comm, send, recv []T, counts, displs []int) error {
	return neighborAllgathervCall(c, send, recv, counts, displs).Run()
}

func neighborAllgathervCall[T any](c *Comm, send, recv []T, counts, displs []int) comm.NeighborCall {
	return neighborly(c, "neighbor_allgatherv", func(_, destinations int, err *error) (out, in coll.Buffer) {
		repeated(&out, send, destinations, err)
		irregular(&in, recv, counts, displs, err)
		return out, in
	})
}

// repeated has a buffer be the same block for so many neighbours.
func repeated[T any](b *coll.Buffer, buf []T, neighbors int, err *error) {
	own(b, buf, err)
	b.Counts, b.Displs, b.Unit = make([]int, neighbors), make([]int, neighbors), 1
	for i := range b.Counts {
		b.Counts[i] = len(b.Data)
	}
}

// neighborly exchanges the blocks that buffers makes for so many neighbours.
func neighborly(c *Comm, op string,
	buffers func(sources, destinations int, err *error) (out, in coll.Buffer)) comm.NeighborCall {
	return comm.NewNeighborCall(c.inner(), op, func(out, in []coll.Edge) (err error) {
		send, recv := buffers(len(in), len(out), &err)
		if err == nil {
			err = send.Check("send buffer", len(out))
		}
		if err == nil {
			err = recv.Check("receive buffer", len(in))
		}
		if err != nil {
			return err
		}
		for i := range out {
			out[i].Data.Bytes = send.Part(i)
		}
		for i := range in {
			in[i].Data.Bytes = recv.Part(i)
		}
		return nil
	})
}
