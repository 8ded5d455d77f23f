//go:build !race

package mpi_test

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi"
)

// A column of a matrix travels as it lies, and arrives in one piece.
func ExampleVector() {
	ranks(4, func(world *mpi.Comm) error {
		const rows, columns = 3, 4
		if world.Size() < 2 || world.Rank() > 1 {
			return nil
		}
		if world.Rank() == 0 {
			matrix := make([]int, rows*columns)
			for i := range matrix {
				matrix[i] = i
			}
			return mpi.Vector(matrix[1:], rows, 1, columns).Send(world, 1, 0)
		}
		got, _, err := mpi.RecvAlloc[int](world, 0, 0)
		fmt.Println("column 1:", got)
		return err
	})
	// Output: column 1: [1 5 9]
}

// Every rank sends the inner part of its array to rank 0 and gets nothing.
func ExampleSubarray() {
	ranks(4, func(world *mpi.Comm) error {
		n := world.Size()
		part := []byte("....ab..cd......")
		send, recv := make([]mpi.View[byte], n), make([]mpi.View[byte], n)
		send[0] = mpi.Subarray(part, []int{4, 4}, []int{2, 2}, []int{1, 0})
		all := make([]byte, 4*n)
		if world.Rank() == 0 {
			for rank := range n {
				recv[rank] = mpi.Whole(all[4*rank : 4*rank+4])
			}
		}
		if err := mpi.Alltoallw(world, send, recv); err != nil || world.Rank() > 0 {
			return err
		}
		fmt.Printf("%s\n", all)
		return nil
	})
	// Output: abcdabcdabcdabcd
}

// The left column of a matrix goes to the rank before, which has it beyond its right one.
func ExampleView_Sendrecv() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		matrix := []int{
			10*me + 1, 10*me + 2, 0,
			10*me + 3, 10*me + 4, 0,
		}
		left, beyond := mpi.Vector(matrix, 2, 1, 3), mpi.Vector(matrix[2:], 2, 1, 3)
		if _, err := left.Sendrecv(world, (me+n-1)%n, 0, beyond, (me+1)%n, 0); err != nil {
			return err
		}
		fmt.Printf("rank %d: %v %v\n", me, matrix[:3], matrix[3:])
		return nil
	})
	// Unordered output:
	// rank 0: [1 2 11] [3 4 13]
	// rank 1: [11 12 21] [13 14 23]
	// rank 2: [21 22 31] [23 24 33]
	// rank 3: [31 32 1] [33 34 3]
}

// Blocks of any lengths in any order travel in the background.
func ExampleAlltoallw() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		view := mpi.Indexed([]byte("of ranks a view "), []int{7, 8}, []int{9, 0})
		if err := view.Err(); err != nil { // else the call that uses it says what is wrong
			return err
		}
		text := make([]byte, view.Len())
		recv, err := mpi.Whole(text).Irecv(world, (me+n-1)%n, 0)
		if err != nil {
			return err
		}
		send, err := view.Isend(world, (me+1)%n, 0)
		if err != nil {
			return err
		}
		_, done, err := recv.Test()
		if err == nil && !done {
			_, err = recv.Wait()
		}
		if err != nil {
			return err
		}
		fmt.Printf("rank %d got %q\n", me, text)
		_, err = send.Wait()
		return err
	})
	// Unordered output:
	// rank 0 got "a view of ranks"
	// rank 1 got "a view of ranks"
	// rank 2 got "a view of ranks"
	// rank 3 got "a view of ranks"
}

// Of each record go some parts only: a datatype says which, by their displacements in bytes.
func ExampleTyped() {
	ranks(4, func(world *mpi.Comm) error {
		if world.Size() < 2 || world.Rank() > 1 {
			return nil
		}
		public, err := datatype.Struct([]int64{3, 1}, []int64{0, 40},
			[]*datatype.Type{datatype.Float64, datatype.Int32})
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
	})
	// Output: 2 particles: [{1 2 3 [0 0 0 0] -1} {4 5 6 [0 0 0 0] 1}]
}

// The same column is sent again and again, to a place that stays: both are prepared once.
func ExampleIndexed() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: [20 0 120 21 0 121 22 0 122]
	// rank 1: [120 0 220 121 0 221 122 0 222]
	// rank 2: [220 0 320 221 0 321 222 0 322]
	// rank 3: [320 0 20 321 0 21 322 0 22]
}

// A message whose sender is not known goes into the row that belongs to the sender.
func ExampleView_Gather() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Output: [0 1 2 3] [0 10 20 30]
}

// Collective operations on views: a block for each rank is a view for each rank.
func ExampleView_Bcast() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: [0 1 2 3] [0 10 20 30]
	// rank 1: [0 1 2 3] [0 10 20 30]
	// rank 2: [0 1 2 3] [0 10 20 30]
	// rank 3: [0 1 2 3] [0 10 20 30]
}

// The same in the background, and prepared.
func ExampleView_Isend() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: gathered [0 1 2 3 0 10 20 30], dealt [0 0 0 0 0 0 0 0]
	// rank 1: gathered [0 1 2 3 0 10 20 30], dealt [1 0 0 0 10 0 0 0]
	// rank 2: gathered [0 1 2 3 0 10 20 30], dealt [2 0 0 0 20 0 0 0]
	// rank 3: gathered [0 1 2 3 0 10 20 30], dealt [3 0 0 0 30 0 0 0]
}

// particle has a private part, which does not travel.
type particle struct {
	X, Y, Z float64
	Next    [4]int32 // of a list in the memory of its rank
	Charge  int32
}
