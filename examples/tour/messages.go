package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["send"], stops["exchange"], stops["struct"] = send, exchange, structs
	stops["probe"], stops["truncated"] = probe, truncated
	stops["look"], stops["token"] = look, token
}

// All ranks send to rank 0, which takes what comes first.
func send(world *mpi.Comm) error {
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
}

// Every rank gives its number to the next one and takes that of the one before.
func exchange(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	next, before := (me+1)%n, (me+n-1)%n
	got := make([]int, 1)
	if _, err := mpi.Sendrecv(world, []int{me}, next, 0, got, before, 0); err != nil {
		return err
	}
	fmt.Printf("rank %d got %d\n", me, got[0])
	return nil
}

// Elements are of any type without pointers.
func structs(world *mpi.Comm) error {
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
}

// A message is set aside and tells its length before there is a buffer: by Improbe if
// there is one already, by Mprobe when it comes.
func probe(world *mpi.Comm) error {
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
}

// Rank 0 looks what there is before it takes it. Ssend is over when it begins to.
func look(world *mpi.Comm) error {
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
		if _, err := mpi.Recv(world, make([]int16, st.Bytes()/2), st.Source, 5); err != nil {
			return err
		}
		fmt.Printf("rank %d sent %d bytes\n", st.Source, st.Bytes())
	}
	return nil
}

// A token goes round: what a rank has is sent on, and what comes takes its place.
func token(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	held := []int{me}
	for range 2 {
		if _, err := mpi.SendrecvReplace(world, held, (me+1)%n, 0, (me+n-1)%n, 0); err != nil {
			return err
		}
	}
	fmt.Printf("rank %d has the token of rank %d\n", me, held[0])
	return nil
}

// Errors are values, with types where a program may want to go on.
func truncated(world *mpi.Comm) error {
	if world.Size() < 2 || world.Rank() > 1 {
		return nil
	}
	if world.Rank() == 0 {
		return mpi.Send(world, []byte("too long"), 1, 3)
	}
	_, err := mpi.Recv(world, make([]byte, 3), 0, 3)
	if _, ok := errors.AsType[*mpi.TruncateError](err); !ok {
		return fmt.Errorf("no TruncateError: %w", err)
	}
	fmt.Println(err)
	return nil
}
