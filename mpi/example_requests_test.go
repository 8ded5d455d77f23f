//go:build !race

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// Several messages are under way at a time; the buffers are in use until the wait.
func ExampleWaitAll() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		left, right := []int{-1}, []int{-1}
		var requests []mpi.Request
		begin := func(r mpi.Request, err error) error {
			requests = append(requests, r)
			return err
		}
		if err := errors.Join(
			begin(mpi.Irecv(world, left, (me+n-1)%n, 1)),
			begin(mpi.Irecv(world, right, (me+1)%n, 2)),
			begin(mpi.Isend(world, []int{me}, (me+1)%n, 1)),
			begin(mpi.Isend(world, []int{me}, (me+n-1)%n, 2)),
		); err != nil {
			return err
		}
		if err := mpi.WaitAll(requests, nil); err != nil {
			return err
		}
		fmt.Printf("rank %d is between %d and %d\n", me, left[0], right[0])
		return nil
	})
	// Unordered output:
	// rank 0 is between 3 and 1
	// rank 1 is between 0 and 2
	// rank 2 is between 1 and 3
	// rank 3 is between 2 and 0
}

// Rank 0 adds up what comes, in any order: one message by WaitAny, then as many as there
// are by WaitSome.
func ExampleWaitSome() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		if me > 0 {
			request, err := mpi.Issend(world, []int{me * me}, 0, 6)
			for done := false; err == nil && !done; { // there may be something else to do
				_, done, err = request.Test()
			}
			return err
		}
		squares, requests := make([]int, n), make([]mpi.Request, n) // the first stands for nothing
		for rank := 1; rank < n; rank++ {
			var err error
			if requests[rank], err = mpi.Irecv(world, squares[rank:rank+1], rank, 6); err != nil {
				return err
			}
		}
		first, _, err := mpi.WaitAny(requests)
		sum, left := 0, n-1
		if first != mpi.Undefined {
			sum, left = squares[first], left-1
		}
		for err == nil && left > 0 {
			var complete []int
			complete, _, err = mpi.WaitSome(requests, nil, nil)
			for _, rank := range complete {
				sum, left = sum+squares[rank], left-1
			}
		}
		if err != nil {
			return err
		}
		all, err := mpi.TestAll(requests, nil)
		fmt.Printf("sum %d, all complete: %v\n", sum, all)
		return err
	})
	// Output: sum 14, all complete: true
}

// What is sent again and again is prepared once.
func ExampleSendInit() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		out, in := []int{me}, make([]int, 1)
		send, err := mpi.SendInit(world, out, (me+1)%n, 0)
		if err != nil {
			return err
		}
		recv, err := mpi.RecvInit(world, in, (me+n-1)%n, 0)
		if err != nil {
			return err
		}
		for range 3 {
			if err := errors.Join(recv.Start(), send.Start()); err != nil {
				return err
			}
			if err := mpi.WaitAll([]mpi.Request{send, recv}, nil); err != nil {
				return err
			}
			out[0] = in[0]
		}
		fmt.Printf("rank %d has the number of rank %d\n", me, out[0])
		return errors.Join(send.Free(), recv.Free())
	})
	// Unordered output:
	// rank 0 has the number of rank 1
	// rank 1 has the number of rank 2
	// rank 2 has the number of rank 3
	// rank 3 has the number of rank 0
}

// A wait may have an end of its own; the operation goes on, here until it is cancelled.
func ExampleRequest_WaitContext() {
	ranks(4, func(world *mpi.Comm) error {
		request, err := mpi.Irecv(world, make([]int, 1), world.Rank(), 4) // nobody sends it
		if err != nil {
			return err
		}
		ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
		defer stop()
		if _, err := request.WaitContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("no deadline: %w", err)
		}
		if err := request.Cancel(); err != nil {
			return err
		}
		st, err := request.Wait()
		if world.Rank() == 0 {
			fmt.Println("cancelled:", st.Cancelled)
		}
		return err
	})
	// Output: cancelled: true
}

// Messages are looked for while there is other work to do.
func ExampleTestSome() {
	ranks(4, func(world *mpi.Comm) error {
		mine, err := mpi.Ibsend(world, []int{world.Rank()}, 0, 2)
		if err != nil {
			return err
		}
		values, requests := make([]int, world.Size()), make([]mpi.Request, world.Size())
		for rank := range requests {
			if world.Rank() == 0 {
				if requests[rank], err = mpi.RecvInit(world, values[rank:rank+1], rank, 2); err != nil {
					return err
				}
			}
		}
		if world.Rank() == 0 {
			if err := mpi.StartAll(requests); err != nil {
				return err
			}
		}
		for done := false; !done; { // until one is here
			if _, _, done, err = mpi.TestAny(requests); err != nil {
				return err
			}
		}
		for slices.ContainsFunc(requests, func(r mpi.Request) bool { return r.Active() }) {
			if _, _, err := mpi.TestSome(requests, nil, nil); err != nil {
				return err
			}
		}
		if world.Rank() == 0 {
			fmt.Println(values)
			for rank := range requests {
				if err := requests[rank].Free(); err != nil {
					return err
				}
			}
		}
		_, err = mine.Wait() // at once
		return err
	})
	// Output: [0 1 2 3]
}

// One goroutine waits for messages of two kinds, and for a clock.
func ExampleRequest_Done() {
	ranks(2, func(world *mpi.Comm) error {
		last := world.Size() - 1
		if world.Rank() == last {
			if err := mpi.SendOne(world, 5, 0, 2); err != nil {
				return err
			}
		}
		if world.Rank() > 0 {
			return world.Barrier() // else the receive of what was not sent would fail
		}
		stop, number := make([]byte, 1), make([]int, 1)
		stopped, err1 := mpi.Irecv(world, stop, last, 1)
		came, err2 := mpi.Irecv(world, number, last, 2)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		select {
		case <-stopped.Done():
			fmt.Println("stopped")
		case <-came.Done():
			fmt.Println("a number:", number[0])
		case <-time.After(time.Minute):
			fmt.Println("nothing came")
		}
		err1 = stopped.Cancel() // nobody has sent it
		return errors.Join(err1, mpi.WaitAll([]mpi.Request{stopped, came}, nil), world.Barrier())
	})
	// Output: a number: 5
}
