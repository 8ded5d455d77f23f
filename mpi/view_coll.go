package mpi

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Bcast gives the elements of the root's view to the views of all others, which are as
// long (MPI 4.1 section 6.4, MPI_Bcast).
func (v View[T]) Bcast(c *Comm, root int) error { return bcastViewCall(c, v, root).Run() }

func bcastViewCall[T any](c *Comm, v View[T], root int) (k comm.Call) {
	a := k.Set(c.inner(), "bcast view", coll.Bcast)
	a.Root = root
	a.Send = parts([]View[T]{v}, c != nil && c.Rank() != root, &a.Wrong)
	return k
}

// Gather collects the elements of all ranks' views at the root, which receives those of rank
// i into recv[i], of the same length. Others pass nil for recv (MPI 4.1 section 6.5, MPI_Gatherv).
func (v View[T]) Gather(c *Comm, recv []View[T], root int) error {
	return gatherViewCall(c, v, recv, root).Run()
}

func gatherViewCall[T any](c *Comm, v View[T], recv []View[T], root int) (k comm.Call) {
	a := k.Set(c.inner(), "gather view", coll.Gather)
	a.Root, a.Irregular = root, true
	a.Send = parts([]View[T]{v}, false, &a.Wrong)
	if c != nil && c.Rank() == root {
		a.Recv = perMember(c, recv, true, &a.Wrong)
	}
	return k
}

// Scatter gives each rank a view of the root: the elements of send[i] go to rank i, which
// receives them into this view, of the same length. Others pass nil for send.
//
// MPI 4.1 section 6.6 (MPI_Scatterv).
func (v View[T]) Scatter(c *Comm, send []View[T], root int) error {
	return scatterViewCall(c, v, send, root).Run()
}

func scatterViewCall[T any](c *Comm, v View[T], send []View[T], root int) (k comm.Call) {
	a := k.Set(c.inner(), "scatter view", coll.Scatter)
	a.Root, a.Irregular = root, true
	a.Recv = parts([]View[T]{v}, true, &a.Wrong)
	if c != nil && c.Rank() == root {
		a.Send = perMember(c, send, false, &a.Wrong)
	}
	return k
}

// Allgather gives all ranks the elements of all views: those of rank i are received into
// recv[i], of the same length (MPI 4.1 section 6.7, MPI_Allgatherv).
func (v View[T]) Allgather(c *Comm, recv []View[T]) error { return allgatherViewCall(c, v, recv).Run() }

func allgatherViewCall[T any](c *Comm, v View[T], recv []View[T]) (k comm.Call) {
	a := k.Set(c.inner(), "allgather view", coll.Allgather)
	a.Irregular = true
	a.Send, a.Recv = parts([]View[T]{v}, false, &a.Wrong), perMember(c, recv, true, &a.Wrong)
	return k
}

// Alltoallw is Alltoallv with a view for each rank: the elements of send[i] go to rank
// i, which receives them into its view for this rank, of the same length. Of the views
// to be received into no two have an element in common; that is checked within each
// only. In place if send is nil. Ranks that need different element types pass views of bytes.
// send and recv have no element in common.
//
// MPI 4.1 section 6.8 (MPI_Alltoallw).
func Alltoallw[T any](c *Comm, send, recv []View[T]) error { return alltoallwCall(c, send, recv).Run() }

func alltoallwCall[T any](c *Comm, send, recv []View[T]) (k comm.Call) {
	a := k.Set(c.inner(), "alltoallw", coll.Alltoall)
	a.Irregular, a.InPlace = true, send == nil
	if !a.InPlace {
		a.Send = perMember(c, send, false, &a.Wrong)
	}
	a.Recv = perMember(c, recv, true, &a.Wrong)
	return k
}

// perMember is parts for as many views as the communicator has ranks.
func perMember[T any](c *Comm, views []View[T], receive bool, wrong *error) coll.Buffer {
	if c != nil && len(views) != c.Size() && *wrong == nil {
		*wrong = fmt.Errorf("%d views for %d ranks: pass as many", len(views), c.Size())
	}
	return parts(views, receive, wrong)
}

// parts is a buffer whose blocks are views, to be received into or to be sent.
func parts[T any](views []View[T], receive bool, wrong *error) coll.Buffer {
	buffers := make([]comm.Buffer, len(views))
	for i := range views {
		var err error
		if receive {
			buffers[i], _, err = views[i].incoming()
		} else {
			buffers[i], _, err = views[i].outgoing()
		}
		if err != nil && *wrong == nil {
			*wrong = fmt.Errorf("view %d: %w", i, err)
		}
	}
	of, _ := element[T]() // a bad type is the error of each view
	return coll.Buffer{Parts: buffers, Of: of}
}

// NeighborAlltoallw is NeighborAlltoallv with a view for each neighbour, as Alltoallw:
// it exchanges the borders of a part of a grid. The view of a neighbour that a border
// leaves out stays as it is (MPI 4.1 section 8.6, MPI_Neighbor_alltoallw).
// send and recv have no element in common.
func NeighborAlltoallw[T any](c *Comm, send, recv []View[T]) error {
	return neighborAlltoallwCall(c, send, recv).Run()
}

func neighborAlltoallwCall[T any](c *Comm, send, recv []View[T]) comm.NeighborCall {
	k := comm.NewNeighborCall(c.inner(), "neighbor_alltoallw", func(out, in []coll.Edge) (err error) {
		if len(send) != len(out) || len(recv) != len(in) {
			return fmt.Errorf(
				"%d views to send, %d to receive into: there are %d neighbours to send to, %d to receive from",
				len(send), len(recv), len(out), len(in))
		}
		comm.SetEdges(out, parts(send, false, &err).Parts)
		comm.SetEdges(in, parts(recv, true, &err).Parts)
		return err
	})
	k.Layouts = true
	return k
}
