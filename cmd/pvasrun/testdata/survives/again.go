package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// again has about half of the ranks die, each at any instruction, while all do mpi.Survive. Its argument is the seed.
// One rank lives, and prints a line if all that live have ended the same run.
func again(world *mpi.Comm) error {
	seed, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	keeper := seed % world.Size()
	r := rand.New(rand.NewPCG(uint64(seed), uint64(world.Rank())))
	if world.Rank() != keeper && r.IntN(2) == 0 {
		time.AfterFunc(time.Duration(r.IntN(30_000))*time.Microsecond, func() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})
	}
	members := 0
	if err := mpi.Survive(world, func(c *mpi.Comm) error {
		members = c.Size()
		return manyCalls(c)
	}); err != nil {
		return err
	}
	if err := mpi.Survive(world, func(c *mpi.Comm) error {
		all, err := mpi.AllgatherOne(c, members)
		if err != nil {
			return err
		}
		for _, n := range all {
			if n != members {
				return fmt.Errorf("runs of %v members have ended", all)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if world.Rank() == keeper {
		fmt.Println("again: right")
	}
	return nil
}

// manyCalls makes calls of all kinds, also on communicators of its own.
func manyCalls(c *mpi.Comm) error {
	for round := range 40 {
		for _, n := range []int{1, 1000, 40_000} {
			if err := sums(c, n); err != nil {
				return err
			}
			if err := around(c, n); err != nil {
				return err
			}
		}
		if err := others(c, round); err != nil {
			return err
		}
	}
	return nil
}

func sums(c *mpi.Comm, n int) error {
	sum := make([]int, n)
	for i := range sum {
		sum[i] = 1
	}
	if err := mpi.Allreduce(c, nil, sum, mpi.Sum[int]()); err != nil {
		return err
	}
	for i, x := range sum {
		if x != c.Size() {
			return fmt.Errorf("element %d of %d is %d", i, n, x)
		}
	}
	return nil
}

func around(c *mpi.Comm, n int) error {
	next, before := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	out, in := make([]int, n), make([]int, n)
	out[n-1] = c.Rank()
	_, err := mpi.Sendrecv(c, out, next, n, in, before, n)
	if err == nil && in[n-1] != before {
		return fmt.Errorf("%d elements from rank %d: %d", n, before, in[n-1])
	}
	return err
}

// others makes communicators, which it frees if all goes well.
func others(c *mpi.Comm, round int) error {
	root := round % c.Size()
	from := []int{c.Rank()}
	if err := mpi.Bcast(c, from, root); err != nil || from[0] != root {
		return errors.Join(err, different("bcast", from[0], root))
	}
	half, err := c.Split(c.Rank()%2, 0)
	if err != nil {
		return err
	}
	same, err := c.Dup()
	if err != nil {
		return err
	}
	if err := sums(half, 100); err != nil {
		return err
	}
	r, err := same.Ibarrier()
	if err != nil {
		return err
	}
	if _, err := r.Wait(); err != nil {
		return err
	}
	return errors.Join(same.Free(), half.Free())
}

func different(what string, have, want int) error {
	if have == want {
		return nil
	}
	return fmt.Errorf("%s: %d, not %d", what, have, want)
}
