package mpi

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// Alltoallw is Alltoallv with a view for each rank: the elements of send[i] go to rank
// i, which receives them into its view for this rank, of the same length. Of the views
// to be received into no two have an element in common; that is checked within each
// only. In place. After an error they are as they were. Ranks that need different element
// types pass views of bytes.
//
// MPI 4.1 section 6.8 (MPI_Alltoallw).
func Alltoallw[T any](c *Comm, send, recv []View[T]) error {
	k, used := alltoallwCall(c, send, recv)
	err := k.Run()
	used.free(err)
	return err
}

// Ialltoallw is Alltoallw, nonblocking. The slices of views are the caller's again at once.
//
// MPI 4.1 section 6.12.6 (MPI_Ialltoallw).
func Ialltoallw[T any](c *Comm, send, recv []View[T]) (Request, error) {
	k, _ := alltoallwCall(c, send, recv) // the request keeps the buffers, which are not used again
	return k.Begin()
}

// AlltoallwInit makes an Alltoallw persistent.
//
// MPI 4.1 section 6.13.6 (MPI_Alltoallw_init).
func AlltoallwInit[T any](c *Comm, send, recv []View[T]) (Request, error) {
	k, _ := alltoallwCall(c, send, recv)
	return k.Prepare()
}

func alltoallwCall[T any](c *Comm, send, recv []View[T]) (k comm.Call, used stages) {
	if send == nil {
		send = recv // which is copied anyway
	}
	out, outErr := stageAll(send, c.Size(), (*View[T]).outgoing2)
	in, err := stageAll(recv, c.Size(), (*View[T]).incoming2)
	if err == nil {
		err = outErr
	}
	k.Comm, k.Op, k.Args.Wrong = c, "alltoallw", err
	a := &k.Args
	a.Kind, a.Irregular, a.Send, a.Recv = coll.Alltoall, true, out.Buffer, in.Buffer
	a.Before = func() {
		for i, b := range out.parts() {
			v, _ := out.views[i].outgoing()
			v.Pack(b, 0)
		}
	}
	a.After = func() {
		for i, b := range in.parts() {
			v, _, _ := in.views[i].incoming()
			v.Unpack(b, 0)
		}
	}
	return k, stages{out.stage, in.stage}
}

// staged is some views, and a buffer for their elements, one behind the other.
type staged[T any] struct {
	coll.Buffer
	views []View[T]
	stage *staging
	size  int // of an element
}

// stageAll returns room for the elements of n views, of which each is fit for its use.
func stageAll[T any](views []View[T], n int, check func(*View[T]) (size int, err error)) (s staged[T], err error) {
	s.views = slices.Clone(views)
	s.Counts, s.Unit = make([]int, n), 1
	if len(views) != n {
		err = fmt.Errorf("%d views for %d ranks: pass as many", len(views), n)
	}
	total := 0
	for i := range min(n, len(views)) {
		size, viewErr := check(&s.views[i])
		if viewErr != nil && err == nil {
			err = fmt.Errorf("view %d: %w", i, viewErr)
		}
		s.size = size
		s.Counts[i] = views[i].count * size
		total += s.Counts[i]
	}
	s.Displs = dense(s.Counts)
	s.stage, s.Data = newStaging(total)
	return s, err
}

// parts returns the room of each view.
func (s *staged[T]) parts() [][]byte { return partsOf(s.Buffer, len(s.Counts)) }

// stages are the buffers of an operation.
type stages []*staging

func (s stages) free(err error) {
	for _, stage := range s {
		stage.free(err)
	}
}

// NeighborAlltoallw is NeighborAlltoallv with a view for each neighbour, as Alltoallw:
// it exchanges the borders of a part of a grid. The view of a neighbour that a border
// leaves out stays as it is.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_alltoallw).
func NeighborAlltoallw[T any](c *Comm, send, recv []View[T]) error {
	k, used := neighborAlltoallwCall(c, send, recv)
	err := k.Run()
	used.free(err)
	return err
}

// IneighborAlltoallw is NeighborAlltoallw, nonblocking. The slices of views are the
// caller's again at once.
//
// MPI 4.1 section 8.7.2 (MPI_Ineighbor_alltoallw).
func IneighborAlltoallw[T any](c *Comm, send, recv []View[T]) (Request, error) {
	k, _ := neighborAlltoallwCall(c, send, recv) // as in Ialltoallw
	return k.Begin()
}

// NeighborAlltoallwInit makes a NeighborAlltoallw persistent.
//
// MPI 4.1 section 8.8.2 (MPI_Neighbor_alltoallw_init).
func NeighborAlltoallwInit[T any](c *Comm, send, recv []View[T]) (Request, error) {
	k, _ := neighborAlltoallwCall(c, send, recv)
	return k.Prepare()
}

func neighborAlltoallwCall[T any](c *Comm, send, recv []View[T]) (k comm.NeighborCall, used stages) {
	var before, after []func()
	k = comm.NewNeighborCall(c, "neighbor_alltoallw", func(sources, destinations []int) (out, in [][]byte, err error) {
		if len(send) != len(destinations) || len(recv) != len(sources) {
			return nil, nil, fmt.Errorf("%d views to send, %d to receive into: there are %d neighbours to send to, %d to receive from",
				len(send), len(recv), len(destinations), len(sources))
		}
		for i, v := range send {
			buf, err := v.outgoing()
			if err != nil {
				return nil, nil, fmt.Errorf("view %d to send: %w", i, err)
			}
			stage, b := newStaging(buf.Len())
			used, out = append(used, stage), append(out, b)
			before = append(before, func() { buf.Pack(b, 0) })
		}
		for i, v := range recv {
			buf, _, err := v.incoming()
			stage, b := newStaging(buf.Len())
			if err != nil {
				return nil, nil, fmt.Errorf("view %d to receive into: %w", i, err)
			}
			used, in = append(used, stage), append(in, b)
			if sources[i] != ProcNull {
				after = append(after, func() { buf.Unpack(b, 0) })
			}
		}
		return out, in, nil
	})
	k.Before, k.After = inTurn(before), inTurn(after)
	return k, used
}

// inTurn returns a function that calls some, nil if there are none.
func inTurn(calls []func()) func() {
	if len(calls) == 0 {
		return nil
	}
	return func() {
		for _, f := range calls {
			f()
		}
	}
}

func (v *View[T]) outgoing2() (int, error) { _, size, err := v.buffer(); return size, err }
func (v *View[T]) incoming2() (int, error) { _, size, err := v.incoming(); return size, err }
