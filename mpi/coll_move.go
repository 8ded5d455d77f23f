package mpi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Bcast gives all ranks what the root has in buf.
//
// MPI 4.1 section 6.4 (MPI_Bcast).
func Bcast[T any](c *Comm, buf []T, root int) error {
	return bcastCall(c, buf, root).Run()
}

func bcastCall[T any](c *Comm, buf []T, root int) (k comm.Call) {
	a := k.Set(c.inner(), "bcast", coll.Bcast)
	a.Root = root
	own(&a.Send, buf, &a.Wrong)
	return k
}

// Gather leaves on the root, in the order of the ranks, what all have in send, of the
// same length; elsewhere recv is not used. In place on the root if send is nil there.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.5 (MPI_Gather).
func Gather[T any](c *Comm, send, recv []T, root int) error {
	return gatherCall(c, send, recv, root).Run()
}

func gatherCall[T any](c *Comm, send, recv []T, root int) (k comm.Call) {
	a := k.Set(c.inner(), "gather", coll.Gather)
	a.Root = root
	if c.Rank() != root {
		recv = nil
	}
	count := len(send)
	if send == nil && c.Rank() == root {
		a.InPlace, count = true, perRank(c, "receive buffer", len(recv), &a.Wrong)
	}
	own(&a.Send, send, &a.Wrong)
	blocks(&a.Recv, recv, count, &a.Wrong)
	return k
}

// Gatherv is Gather with parts of different lengths: on the root counts has the number
// of elements of each rank, and displs where they go in recv; nil: one behind the other.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.5 (MPI_Gatherv).
func Gatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) error {
	return gathervCall(c, send, recv, counts, displs, root).Run()
}

func gathervCall[T any](c *Comm, send, recv []T, counts, displs []int, root int) (k comm.Call) {
	a := k.Set(c.inner(), "gatherv", coll.Gather)
	a.Root, a.Irregular = root, true
	own(&a.Send, send, &a.Wrong)
	if c.Rank() == root {
		a.InPlace = send == nil
		irregular(&a.Recv, recv, counts, displs, &a.Wrong)
	}
	return k
}

// Scatter gives each rank its part of what the root has in send, Size() blocks as long
// as recv; elsewhere send is not used. In place is, on the root, a nil recv: its block
// stays where it is.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.6 (MPI_Scatter).
func Scatter[T any](c *Comm, send, recv []T, root int) error {
	return scatterCall(c, send, recv, root).Run()
}

func scatterCall[T any](c *Comm, send, recv []T, root int) (k comm.Call) {
	a := k.Set(c.inner(), "scatter", coll.Scatter)
	a.Root = root
	if c.Rank() != root {
		send = nil
	}
	count := len(recv)
	if recv == nil && c.Rank() == root {
		a.InPlace, count = true, perRank(c, "send buffer", len(send), &a.Wrong)
	}
	blocks(&a.Send, send, count, &a.Wrong)
	own(&a.Recv, recv, &a.Wrong)
	return k
}

// Scatterv is Scatter with parts of different lengths: on the root counts has the
// number of elements for each rank, and displs where they are in send; nil: one behind
// the other. recv is as long as the part.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.6 (MPI_Scatterv).
func Scatterv[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) error {
	return scattervCall(c, send, counts, displs, recv, root).Run()
}

func scattervCall[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) (k comm.Call) {
	a := k.Set(c.inner(), "scatterv", coll.Scatter)
	a.Root, a.Irregular = root, true
	own(&a.Recv, recv, &a.Wrong)
	if c.Rank() == root {
		a.InPlace = recv == nil
		irregular(&a.Send, send, counts, displs, &a.Wrong)
	}
	return k
}

// Allgather leaves on every rank, in the order of the ranks, what all have in send, of
// the same length. In place if send is nil.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.7 (MPI_Allgather).
func Allgather[T any](c *Comm, send, recv []T) error {
	return allgatherCall(c, send, recv).Run()
}

func allgatherCall[T any](c *Comm, send, recv []T) (k comm.Call) {
	a := k.Set(c.inner(), "allgather", coll.Allgather)
	a.InPlace = send == nil
	count := len(send)
	if a.InPlace {
		count = perRank(c, "receive buffer", len(recv), &a.Wrong)
	}
	own(&a.Send, send, &a.Wrong)
	blocks(&a.Recv, recv, count, &a.Wrong)
	return k
}

// Allgatherv is Allgather with parts of different lengths: counts has the number of
// elements of each rank, and displs where they go in recv; nil: one behind the other.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.7 (MPI_Allgatherv).
func Allgatherv[T any](c *Comm, send, recv []T, counts, displs []int) error {
	return allgathervCall(c, send, recv, counts, displs).Run()
}

func allgathervCall[T any](c *Comm, send, recv []T, counts, displs []int) (k comm.Call) {
	a := k.Set(c.inner(), "allgatherv", coll.Allgather)
	a.Irregular, a.InPlace = true, send == nil
	own(&a.Send, send, &a.Wrong)
	irregular(&a.Recv, recv, counts, displs, &a.Wrong)
	return k
}

// Alltoall sends block i of send to rank i, which receives it as the block of this rank
// in recv. Both have Size() blocks of the same length. In place if send is nil, by way of a copy.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.8 (MPI_Alltoall).
func Alltoall[T any](c *Comm, send, recv []T) error {
	return alltoallCall(c, send, recv).Run()
}

func alltoallCall[T any](c *Comm, send, recv []T) (k comm.Call) {
	a := k.Set(c.inner(), "alltoall", coll.Alltoall)
	a.InPlace = send == nil
	count := perRank(c, "receive buffer", len(recv), &a.Wrong)
	blocks(&a.Send, send, count, &a.Wrong)
	blocks(&a.Recv, recv, count, &a.Wrong)
	return k
}

// Alltoallv is Alltoall with blocks of different lengths, given as in Gatherv. In place
// sendCounts is nil too, lest a rank that has nothing to send be misunderstood.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.8 (MPI_Alltoallv).
func Alltoallv[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	return alltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).Run()
}

func alltoallvCall[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) (k comm.Call) {
	a := k.Set(c.inner(), "alltoallv", coll.Alltoall)
	a.Irregular, a.InPlace = true, send == nil && sendCounts == nil
	irregular(&a.Recv, recv, recvCounts, recvDispls, &a.Wrong)
	if !a.InPlace {
		irregular(&a.Send, send, sendCounts, sendDispls, &a.Wrong)
	}
	return k
}
