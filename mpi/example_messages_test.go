//go:build !race

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// All ranks send to rank 0, which takes what comes first.
func ExampleRecvAlloc() {
	ranks(4, func(world *mpi.Comm) error {
		const tag = 1
		if world.Rank() > 0 {
			return mpi.Send(world, []float64{float64(world.Rank()), 0.5}, 0, tag)
		}
		for range world.Size() - 1 {
			values, from, err := mpi.RecvAlloc[float64](world, mpi.AnySource, tag)
			if err != nil {
				return err
			}
			fmt.Printf("from rank %d: %v\n", from.Source, values)
		}
		return nil
	})
	// Unordered output:
	// from rank 1: [1 0.5]
	// from rank 2: [2 0.5]
	// from rank 3: [3 0.5]
}

// Every rank gives its number to the next one and takes that of the one before.
func ExampleSendrecv() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		next, before := (me+1)%n, (me+n-1)%n
		got := make([]int, 1)
		if _, err := mpi.Sendrecv(world, []int{me}, next, 0, got, before, 0); err != nil {
			return err
		}
		fmt.Printf("rank %d got %d\n", me, got[0])
		return nil
	})
	// Unordered output:
	// rank 0 got 3
	// rank 1 got 0
	// rank 2 got 1
	// rank 3 got 2
}

// A token goes round: what a rank has is sent on, and what comes takes its place.
func ExampleSendrecvReplace() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		held := []int{me}
		for range 2 {
			if _, err := mpi.SendrecvReplace(world, held, (me+1)%n, 0, (me+n-1)%n, 0); err != nil {
				return err
			}
		}
		fmt.Printf("rank %d has the token of rank %d\n", me, held[0])
		return nil
	})
	// Unordered output:
	// rank 0 has the token of rank 2
	// rank 1 has the token of rank 3
	// rank 2 has the token of rank 0
	// rank 3 has the token of rank 1
}

// Elements are of any type without pointers.
func ExampleRecv() {
	ranks(4, func(world *mpi.Comm) error {
		type particle struct {
			ID   int32
			X, Y float64
		}
		switch {
		case world.Size() < 2:
			return nil
		case world.Rank() == 0:
			return mpi.Send(world, []particle{{7, 0.5, 1.5}}, 1, 0)
		case world.Rank() == 1:
			buf := make([]particle, 10) // at least as long as the message
			st, err := mpi.Recv(world, buf, 0, 0)
			if err != nil {
				return err
			}
			fmt.Printf("%d particle: %+v\n", st.Count, buf[:st.Count])
		}
		return nil
	})
	// Output: 1 particle: [{ID:7 X:0.5 Y:1.5}]
}

// Rank 0 looks what there is before it takes it. Ssend is over when it begins to.
func ExampleProbe() {
	ranks(4, func(world *mpi.Comm) error {
		if world.Rank() > 0 {
			return mpi.Ssend(world, make([]int16, world.Rank()), 0, 5)
		}
		for range world.Size() - 1 {
			st, there, err := mpi.Iprobe(world, mpi.AnySource, 5)
			if err == nil && !there { // nothing yet, and nothing else to do
				st, err = mpi.Probe(world, mpi.AnySource, 5)
			}
			if err != nil {
				return err
			}
			if _, err := mpi.Recv(world, make([]int16, st.Bytes/2), st.Source, 5); err != nil {
				return err
			}
			fmt.Printf("rank %d sent %d bytes\n", st.Source, st.Bytes)
		}
		return nil
	})
	// Unordered output:
	// rank 1 sent 2 bytes
	// rank 2 sent 4 bytes
	// rank 3 sent 6 bytes
}

// A message is set aside and tells its length before there is a buffer: by Improbe if
// there is one already, by Mprobe when it comes.
func ExampleMprobe() {
	ranks(4, func(world *mpi.Comm) error {
		if world.Rank() > 0 {
			return mpi.Send(world, make([]int32, world.Rank()), 0, 2)
		}
		for range world.Size() - 1 {
			message, st, there, err := mpi.Improbe(world, mpi.AnySource, 2)
			if err == nil && !there {
				message, st, err = mpi.Mprobe(world, mpi.AnySource, 2)
			}
			if err != nil {
				return err
			}
			n, err := mpi.CountOf[int32](st)
			if err != nil {
				return err
			}
			buf := make([]int32, n)
			if _, err := mpi.Mrecv(&message, buf); err != nil {
				return err
			}
			fmt.Printf("rank %d sent %d elements\n", st.Source, n)
		}
		return nil
	})
	// Unordered output:
	// rank 1 sent 1 elements
	// rank 2 sent 2 elements
	// rank 3 sent 3 elements
}

// Errors are values, with types where a program may want to go on.
func ExampleTruncateError() {
	ranks(4, func(world *mpi.Comm) error {
		if world.Size() < 2 || world.Rank() > 1 {
			return nil
		}
		if world.Rank() == 0 {
			return mpi.Send(world, []byte("too long"), 1, 3)
		}
		_, err := mpi.Recv(world, make([]byte, 3), 0, 3)
		truncated, ok := errors.AsType[*mpi.TruncateError](err)
		if !ok {
			return fmt.Errorf("no TruncateError: %w", err)
		}
		fmt.Println(truncated) // err names the call, and where it stands in the program
		return nil
	})
	// Output: message of 8 bytes is truncated: the buffer has 3
}

// A buffered send never waits for its receiver: it takes a copy.
func ExampleBsend() {
	ranks(4, func(world *mpi.Comm) error {
		if world.Rank() > 0 {
			if err := mpi.Bsend(world, []int{world.Rank() * 10}, 0, 1); err != nil {
				return err
			}
			return world.FlushBuffer()
		}
		for rank := 1; rank < world.Size(); rank++ {
			message, _, err := mpi.Mprobe(world, rank, 1)
			if err != nil {
				return err
			}
			value := make([]int, 1)
			r, err := mpi.Imrecv(&message, value)
			if err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
			fmt.Println(value[0])
		}
		return nil
	})
	// Unordered output:
	// 10
	// 20
	// 30
}

// A receive that waits until the user has had enough, or for a second at most.
func ExampleComm_With() {
	ranks(2, func(world *mpi.Comm) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if world.Rank() == 1 {
			cancel()
			_, _, err := mpi.RecvOne[int](world.With(ctx), 0, 1)
			fmt.Println(errors.Is(err, context.Canceled))
		}
		return nil
	})
	// Output: true
}
