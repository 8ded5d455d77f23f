package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// refill has each of the ranks that the job began with die, but rank 0, while all do mpi.Survive, at times that a seed
// gives: its argument. They are started anew. In the last run all places are taken, by those that were started anew.
// Rank 0 prints a line.
func refill(world *mpi.Comm) error {
	seed, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	size := world.Size()
	if !world.Replaces() && world.Rank() > 0 {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(world.Rank())))
		time.AfterFunc(time.Duration(r.IntN(30_000))*time.Microsecond, func() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})
	}
	return mpi.Survive(world, func(c *mpi.Comm) error {
		for old := 2; old > 1; {
			if err := manyCalls(c); err != nil {
				return err
			}
			var err error
			if old, err = mpi.AllreduceOne(c, one(!world.Replaces()), mpi.Sum[int]()); err != nil {
				return err
			}
		}
		if (c.Rank() == 0) == world.Replaces() {
			return fmt.Errorf("rank %d has another one's place", c.Rank())
		}
		if c.Rank() == 0 && c.Size() != size {
			return fmt.Errorf("%d ranks are left of %d", c.Size(), size)
		}
		if c.Rank() == 0 {
			fmt.Println("refill: right")
		}
		return nil
	})
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// budget has rank 1 die in each run in which all places are taken. Its argument is how many of them may be started
// anew. It does the same twice: the second time no rank is started anew, but those that were take part.
func budget(world *mpi.Comm) error {
	anew, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	whole := 3
	runs := 0
	if err := mpi.Survive(world, func(c *mpi.Comm) error {
		if runs++; c.Rank() == 1 && c.Size() == whole {
			return die()
		}
		return c.Barrier()
	}); err != nil {
		return err
	}
	return mpi.Survive(world, func(c *mpi.Comm) error {
		if world.Rank() == 0 && !world.Replaces() {
			if want := anew + 2; runs != want || c.Size() != whole-1 {
				return fmt.Errorf("%d runs, not %d; %d ranks are left", runs, want, c.Size())
			}
			fmt.Println("budget: right")
		}
		return c.Barrier()
	})
}
