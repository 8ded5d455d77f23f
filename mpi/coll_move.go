package mpi

import "github.com/gopvas/gopvas/coll"

// Bcast gives all ranks what the root has in buf.
//
// MPI 4.1 section 6.4 (MPI_Bcast).
func Bcast[T any](c *Comm, buf []T, root int) error {
	return bcastCall(c, buf, root).run()
}

func bcastCall[T any](c *Comm, buf []T, root int) (k call) {
	k.c, k.op = c, "bcast"
	a := &k.args
	a.Kind, a.Root = coll.Bcast, root
	a.Send = own(buf, &k.err)
	return k
}

// Gather leaves on the root, in the order of the ranks, what all have in send, of the
// same length; elsewhere recv is not used. In place on the root.
//
// MPI 4.1 section 6.5 (MPI_Gather).
func Gather[T any](c *Comm, send, recv []T, root int) error {
	return gatherCall(c, send, recv, root).run()
}

func gatherCall[T any](c *Comm, send, recv []T, root int) (k call) {
	k.c, k.op = c, "gather"
	a := &k.args
	a.Kind, a.Root = coll.Gather, root
	if c.rank != root {
		recv = nil
	}
	count := len(send)
	if send == nil && c.rank == root {
		a.InPlace, count = true, c.perRank("receive buffer", len(recv), &k.err)
	}
	a.Send, a.Recv = own(send, &k.err), blocks(recv, count, &k.err)
	return k
}

// Gatherv is Gather with parts of different lengths: on the root counts has the number
// of elements of each rank, and displs where they go in recv; nil: one behind the other.
//
// MPI 4.1 section 6.5 (MPI_Gatherv).
func Gatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) error {
	return gathervCall(c, send, recv, counts, displs, root).run()
}

func gathervCall[T any](c *Comm, send, recv []T, counts, displs []int, root int) (k call) {
	k.c, k.op = c, "gatherv"
	a := &k.args
	a.Kind, a.Root, a.Irregular = coll.Gather, root, true
	a.Send = own(send, &k.err)
	if c.rank == root {
		a.InPlace = send == nil
		a.Recv = irregular(recv, counts, displs, &k.err)
	}
	return k
}

// Scatter gives each rank its part of what the root has in send, Size() blocks as long
// as recv; elsewhere send is not used. In place is, on the root, a nil recv: its block
// stays where it is.
//
// MPI 4.1 section 6.6 (MPI_Scatter).
func Scatter[T any](c *Comm, send, recv []T, root int) error {
	return scatterCall(c, send, recv, root).run()
}

func scatterCall[T any](c *Comm, send, recv []T, root int) (k call) {
	k.c, k.op = c, "scatter"
	a := &k.args
	a.Kind, a.Root = coll.Scatter, root
	if c.rank != root {
		send = nil
	}
	count := len(recv)
	if recv == nil && c.rank == root {
		a.InPlace, count = true, c.perRank("send buffer", len(send), &k.err)
	}
	a.Send, a.Recv = blocks(send, count, &k.err), own(recv, &k.err)
	return k
}

// Scatterv is Scatter with parts of different lengths: on the root counts has the
// number of elements for each rank, and displs where they are in send; nil: one behind
// the other. recv is as long as the part.
//
// MPI 4.1 section 6.6 (MPI_Scatterv).
func Scatterv[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) error {
	return scattervCall(c, send, counts, displs, recv, root).run()
}

func scattervCall[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) (k call) {
	k.c, k.op = c, "scatterv"
	a := &k.args
	a.Kind, a.Root, a.Irregular = coll.Scatter, root, true
	a.Recv = own(recv, &k.err)
	if c.rank == root {
		a.InPlace = recv == nil
		a.Send = irregular(send, counts, displs, &k.err)
	}
	return k
}

// Allgather leaves on every rank, in the order of the ranks, what all have in send, of
// the same length. In place.
//
// MPI 4.1 section 6.7 (MPI_Allgather).
func Allgather[T any](c *Comm, send, recv []T) error {
	return allgatherCall(c, send, recv).run()
}

func allgatherCall[T any](c *Comm, send, recv []T) (k call) {
	k.c, k.op = c, "allgather"
	a := &k.args
	a.Kind, a.InPlace = coll.Allgather, send == nil
	count := len(send)
	if a.InPlace {
		count = c.perRank("receive buffer", len(recv), &k.err)
	}
	a.Send, a.Recv = own(send, &k.err), blocks(recv, count, &k.err)
	return k
}

// Allgatherv is Allgather with parts of different lengths: counts has the number of
// elements of each rank, and displs where they go in recv; nil: one behind the other.
//
// MPI 4.1 section 6.7 (MPI_Allgatherv).
func Allgatherv[T any](c *Comm, send, recv []T, counts, displs []int) error {
	return allgathervCall(c, send, recv, counts, displs).run()
}

func allgathervCall[T any](c *Comm, send, recv []T, counts, displs []int) (k call) {
	k.c, k.op = c, "allgatherv"
	a := &k.args
	a.Kind, a.Irregular, a.InPlace = coll.Allgather, true, send == nil
	a.Send, a.Recv = own(send, &k.err), irregular(recv, counts, displs, &k.err)
	return k
}

// Alltoall sends block i of send to rank i, which receives it as the block of this rank
// in recv. Both have Size() blocks of the same length. In place, by way of a copy.
//
// MPI 4.1 section 6.8 (MPI_Alltoall).
func Alltoall[T any](c *Comm, send, recv []T) error {
	return alltoallCall(c, send, recv).run()
}

func alltoallCall[T any](c *Comm, send, recv []T) (k call) {
	k.c, k.op = c, "alltoall"
	a := &k.args
	a.Kind, a.InPlace = coll.Alltoall, send == nil
	count := c.perRank("receive buffer", len(recv), &k.err)
	a.Send, a.Recv = blocks(send, count, &k.err), blocks(recv, count, &k.err)
	return k
}

// Alltoallv is Alltoall with blocks of different lengths, given as in Gatherv. In place
// sendCounts is nil too, lest a rank that has nothing to send be misunderstood.
//
// MPI 4.1 section 6.8 (MPI_Alltoallv).
func Alltoallv[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	return alltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).run()
}

func alltoallvCall[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) (k call) {
	k.c, k.op = c, "alltoallv"
	a := &k.args
	a.Kind, a.Irregular, a.InPlace = coll.Alltoall, true, send == nil && sendCounts == nil
	a.Recv = irregular(recv, recvCounts, recvDispls, &k.err)
	if !a.InPlace {
		a.Send = irregular(send, sendCounts, sendDispls, &k.err)
	}
	return k
}
