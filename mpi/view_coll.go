package mpi

import (
	"fmt"

	"github.com/gopvas/gopvas/coll"
)

// Alltoallw is Alltoallv with a view for each rank: the elements of send[i] go to rank
// i, which receives them into its view for this rank, of the same length. Of the views
// to be received into no two have an element in common; that is checked within each
// only. In place. Ranks that need different element types pass views of bytes.
//
// MPI 4.1 section 6.8 (MPI_Alltoallw).
func Alltoallw[T any](c *Comm, send, recv []View[T]) error {
	const op = "alltoallw"
	if send == nil {
		send = recv // which is copied anyway
	}
	a := coll.Args{Kind: coll.Alltoall, Irregular: true}
	out, outErr := stageAll(send, c.size, (*View[T]).checkSend)
	in, err := stageAll(recv, c.size, (*View[T]).checkReceive)
	if err == nil {
		err = outErr
	}
	if err == nil {
		for i, b := range out.parts() {
			send[i].gather(elements[T](b, out.size))
		}
	}
	a.Send, a.Recv = out.Buffer, in.Buffer
	err = c.collective(op, &a, err)
	if err == nil {
		for i, b := range in.parts() {
			recv[i].scatter(elements[T](b, in.size))
		}
	}
	out.stage.free(err)
	in.stage.free(err)
	return err
}

// staged is a buffer for the elements of some views, one behind the other.
type staged struct {
	coll.Buffer
	stage *staging
	size  int // of an element
}

// stageAll returns room for the elements of n views, of which each is fit for its use.
func stageAll[T any](views []View[T], n int, check func(*View[T]) (size int, err error)) (s staged, err error) {
	s.Counts, s.Unit = make([]int, n), 1
	if len(views) != n {
		err = fmt.Errorf("%d views for %d ranks: pass as many", len(views), n)
	}
	total := 0
	for i := range min(n, len(views)) {
		size, viewErr := check(&views[i])
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
func (s *staged) parts() [][]byte { return partsOf(s.Buffer, len(s.Counts)) }

// NeighborAlltoallw is NeighborAlltoallv with a view for each neighbour, as Alltoallw:
// it exchanges the borders of a part of a grid. The view of a neighbour that a border
// leaves out stays as it is.
//
// MPI 4.1 section 8.6 (MPI_Neighbor_alltoallw).
func NeighborAlltoallw[T any](c *Comm, send, recv []View[T]) error {
	var stages []*staging
	var finish []func()
	exchange := c.alongEdges("neighbor_alltoallw", func(sources, destinations []int) (out, in [][]byte, err error) {
		if len(send) != len(destinations) || len(recv) != len(sources) {
			return nil, nil, fmt.Errorf("%d views to send, %d to receive into: there are %d neighbours to send to, %d to receive from",
				len(send), len(recv), len(destinations), len(sources))
		}
		for i := range send {
			stage, b, err := send[i].outgoing()
			if err != nil {
				return nil, nil, fmt.Errorf("view %d to send: %w", i, err)
			}
			stages, out = append(stages, stage), append(out, b)
		}
		for i := range recv {
			stage, b, size, err := recv[i].incoming()
			if err != nil {
				return nil, nil, fmt.Errorf("view %d to receive into: %w", i, err)
			}
			stages, in = append(stages, stage), append(in, b)
			if sources[i] != ProcNull {
				finish = append(finish, func() { recv[i].arrived(stage, b, size, uint64(len(b))) })
			}
		}
		return out, in, nil
	})
	err := exchange.run()
	if err == nil {
		for _, f := range finish {
			f()
		}
	}
	for _, stage := range stages {
		stage.free(err)
	}
	return err
}
