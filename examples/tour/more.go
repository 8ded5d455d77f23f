package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["buffered"] = buffered
	stops["poll"] = poll
	stops["registered"] = registered
	stops["relatives"] = relatives
}

// A buffered send never waits for its receiver: it takes a copy.
func buffered(world *mpi.Comm) error {
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
}

// Messages are looked for while there is other work to do.
func poll(world *mpi.Comm) error {
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
}

// An operator with a name: any rank of the program can apply it, so that nonblocking
// operations go on while the rank that began them computes.
func registered(world *mpi.Comm) error {
	hypot := mpi.RegisterOp("tour.hypot", func(inout, in []float64) {
		for i := range inout {
			inout[i] = math.Hypot(inout[i], in[i])
		}
	}, true)
	length := []float64{1}
	request, err := mpi.Iallreduce(world, nil, length, hypot)
	if err != nil {
		return err
	}
	if _, err := request.Wait(); err != nil || world.Rank() > 0 {
		return err
	}
	fmt.Printf("%.3f\n", length[0])
	return nil
}

// Communicators of the same ranks are congruent; of groups that have no rank in common one
// call makes several.
func relatives(world *mpi.Comm) error {
	twin, request, err := world.Idup() // goes on in the background
	if err != nil {
		return err
	}
	var mine []int
	for rank := world.Rank() % 2; rank < world.Size(); rank += 2 {
		mine = append(mine, rank)
	}
	group, err := world.Group().Incl(mine...)
	if err != nil {
		return err
	}
	half, err := world.Create(group)
	if err != nil {
		return err
	}
	if _, err := request.Wait(); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Println(world.Compare(twin).String(), half.Size(), world.Self().Size(),
			group.Compare(half.Group()) == mpi.Identical)
	}
	if err := half.Free(); err != nil {
		return err
	}
	return twin.Free()
}
