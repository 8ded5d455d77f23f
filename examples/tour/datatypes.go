package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["records"], stops["steps"], stops["sorted"] = records, steps, sorted
	stops["columns"], stops["later"] = columns, later
}

// particle has a private part, which does not travel.
type particle struct {
	X, Y, Z float64
	Next    [4]int32 // of a list in the memory of its rank
	Charge  int32
}

// Of each record go some parts only: a datatype says which, by their displacements in bytes.
func records(world *mpi.Comm) error {
	if world.Size() < 2 || world.Rank() > 1 {
		return nil
	}
	public, err := datatype.Struct([]int64{3, 1}, []int64{0, 40}, []*datatype.Type{datatype.Float64, datatype.Int32})
	if err != nil {
		return err
	}
	if public, err = datatype.Resized(public, 0, 48); err != nil { // from one particle to the next
		return err
	}
	if world.Rank() == 0 {
		particles := []particle{{1, 2, 3, [4]int32{7}, -1}, {4, 5, 6, [4]int32{8}, +1}}
		return mpi.Typed(particles, public, len(particles)).Ssend(world, 1, 0)
	}
	particles := make([]particle, 2)
	st, err := mpi.Typed(particles, public, len(particles)).Recv(world, 0, 0)
	fmt.Println(st.Count, "particles:", particles)
	return err
}

// The same column is sent again and again, to a place that stays: both are prepared once.
func steps(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	matrix := make([]int, 9)
	first, last := mpi.Vector(matrix, 3, 1, 3), mpi.Vector(matrix[2:], 3, 1, 3)
	send, err := first.SendInit(world, (me+n-1)%n, 0)
	if err != nil {
		return err
	}
	recv, err := last.RecvInit(world, (me+1)%n, 0)
	if err != nil {
		return err
	}
	for step := range 3 {
		for i := range 3 {
			matrix[3*i] = 100*me + 10*step + i
		}
		both := []mpi.Request{send, recv}
		if err := errors.Join(mpi.StartAll(both), mpi.WaitAll(both, nil)); err != nil {
			return err
		}
	}
	fmt.Printf("rank %d: %v\n", me, matrix)
	return errors.Join(send.Free(), recv.Free())
}

// A message whose sender is not known goes into the row that belongs to the sender.
func sorted(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	if me > 0 {
		request, err := mpi.Vector([]int{me, 0, 10 * me, 0}, 2, 1, 2).Issend(world, 0, 1)
		if err == nil {
			_, err = request.Wait()
		}
		return err
	}
	table := make([]int, 2*n)
	for range n - 1 {
		message, st, err := mpi.Mprobe(world, mpi.AnySource, 1)
		if err != nil {
			return err
		}
		if _, err := mpi.Vector(table[st.Source:], 2, 1, n).Mrecv(&message); err != nil {
			return err
		}
	}
	fmt.Println(table[:n], table[n:])
	return nil
}

// Collective operations on views: a block for each rank is a view for each rank.
func columns(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	matrix := make([]int, 2*n) // of two rows
	var column []mpi.View[int]
	for rank := range n {
		column = append(column, mpi.Vector(matrix[rank:], 2, 1, n))
	}
	mine := []int{me, 10 * me}
	if err := mpi.Whole(mine).Gather(world, column, 0); err != nil {
		return err
	}
	got := make([]int, 2)
	if err := mpi.Whole(got).Scatter(world, column, 0); err != nil {
		return err
	}
	if err := mpi.Whole(got).Allgather(world, column); err != nil {
		return err
	}
	if err := column[n-1].Bcast(world, 0); err != nil {
		return err
	}
	fmt.Printf("rank %d: %v %v\n", me, matrix[:n], matrix[n:])
	return nil
}

// The same in the background, and prepared.
func later(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	got := rows(3, 2*n)
	view := func(row int) (views []mpi.View[int]) {
		for rank := range n {
			views = append(views, mpi.Vector(got[row][rank:], 2, 1, n))
		}
		return views
	}
	mine, word := mpi.Vector([]int{me, 0, 10 * me}, 2, 1, 2), mpi.Whole([]int{7, 8})
	deal := make([]mpi.View[int], n)
	for rank := range n {
		deal[rank] = mpi.Whole([]int{rank, 10 * rank})
	}
	dealt := mpi.Vector(got[2], 2, 1, n)
	var f forms
	f.begun(mine.Igather(world, view(0), 0))
	f.begun(mine.Iallgather(world, view(1)))
	f.begun(dealt.Iscatter(world, deal, 0))
	f.begun(word.Ibcast(world, 0))
	f.prepared(mine.GatherInit(world, view(0), 0))
	f.prepared(mine.AllgatherInit(world, view(1)))
	f.prepared(dealt.ScatterInit(world, deal, 0))
	f.prepared(word.BcastInit(world, 0))
	if err := f.finish(got); err != nil {
		return err
	}
	fmt.Printf("rank %d: gathered %v, dealt %v\n", me, got[1], got[2])
	return nil
}
