package mpi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Reduce combines, element by element, what all ranks have in send, and leaves the
// result in recv on the root; elsewhere recv is not used. In place on the root if send is nil there.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.9.1 (MPI_Reduce).
func Reduce[T any](c *Comm, send, recv []T, op *Op[T], root int) error {
	return reduceCall(c, send, recv, op, root).Run()
}

func reduceCall[T any](c *Comm, send, recv []T, op *Op[T], root int) comm.Call {
	if c.Rank() != root {
		recv = nil
	}
	return reduction(c, coll.Reduce, root, send, recv, op)
}

// Allreduce is Reduce whose result all ranks get. In place if send is nil.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.9.6 (MPI_Allreduce).
func Allreduce[T any](c *Comm, send, recv []T, op *Op[T]) error {
	return allreduceCall(c, send, recv, op).Run()
}

func allreduceCall[T any](c *Comm, send, recv []T, op *Op[T]) comm.Call {
	return reduction(c, coll.Allreduce, 0, send, recv, op)
}

// Scan leaves on each rank the result of the ranks up to and with it. In place if send is nil.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.11.1 (MPI_Scan).
func Scan[T any](c *Comm, send, recv []T, op *Op[T]) error {
	return scanCall(c, send, recv, op).Run()
}

func scanCall[T any](c *Comm, send, recv []T, op *Op[T]) comm.Call {
	return reduction(c, coll.Scan, 0, send, recv, op)
}

// Exscan leaves on each rank the result of the ranks below it, and on rank 0 what was
// there. In place if send is nil.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.11.2 (MPI_Exscan).
func Exscan[T any](c *Comm, send, recv []T, op *Op[T]) error {
	return exscanCall(c, send, recv, op).Run()
}

func exscanCall[T any](c *Comm, send, recv []T, op *Op[T]) comm.Call {
	return reduction(c, coll.Exscan, 0, send, recv, op)
}

// reduction is a call of a kind that combines vectors. root is 0 for the kinds without.
func reduction[T any](c *Comm, kind coll.Kind, root int, send, recv []T, op *Op[T]) (k comm.Call) {
	a := k.Set(c.inner(), kind.String(), kind)
	a.Root, a.Op, a.Wrong = root, op.get(), op.check()
	a.InPlace = send == nil && (kind != coll.Reduce || c.Rank() == root)
	own(&a.Send, send, &a.Wrong)
	own(&a.Recv, recv, &a.Wrong)
	return k
}

// ReduceScatterBlock combines what all ranks have in send, of Size() blocks, and
// leaves block i of the result on rank i. A block is as long as recv. In place recv
// has all blocks, and its first becomes the result.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.10.1 (MPI_Reduce_scatter_block).
func ReduceScatterBlock[T any](c *Comm, send, recv []T, op *Op[T]) error {
	return reduceScatterBlockCall(c, send, recv, op).Run()
}

func reduceScatterBlockCall[T any](c *Comm, send, recv []T, op *Op[T]) (k comm.Call) {
	a := k.Set(c.inner(), "reduce_scatter_block", coll.ReduceScatter)
	a.Op, a.InPlace, a.Wrong = op.get(), send == nil, op.check()
	count := len(recv)
	if a.InPlace {
		count = perRank(c, "receive buffer", len(recv), &a.Wrong)
		send = recv
	}
	blocks(&a.Send, send, count, &a.Wrong)
	own(&a.Recv, recv, &a.Wrong)
	return k
}

// ReduceScatter is ReduceScatterBlock with blocks of different lengths: counts has the
// number of elements for each rank, and is the same on all ranks.
// send and recv have no memory in common.
//
// MPI 4.1 section 6.10.2 (MPI_Reduce_scatter).
func ReduceScatter[T any](c *Comm, send, recv []T, counts []int, op *Op[T]) error {
	return reduceScatterCall(c, send, recv, counts, op).Run()
}

func reduceScatterCall[T any](c *Comm, send, recv []T, counts []int, op *Op[T]) (k comm.Call) {
	a := k.Set(c.inner(), "reduce_scatter", coll.ReduceScatter)
	a.Op, a.InPlace, a.Wrong = op.get(), send == nil, op.check()
	if a.InPlace {
		send = recv
	}
	total := 0
	for _, n := range counts {
		total += max(n, 0)
	}
	irregular(&a.Send, send[:min(len(send), total)], counts, nil, &a.Wrong)
	own(&a.Recv, recv, &a.Wrong)
	return k
}
