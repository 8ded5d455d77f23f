package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

// underway are operations in which the other ranks are when rank 0 revokes a communicator. None of them can end by
// itself: rank 0 takes part in none.
var underway = map[string]func(c *mpi.Comm) error{
	"recv":  func(c *mpi.Comm) error { _, err := mpi.Recv(c, []int{0}, 0, 0); return err },
	"any":   func(c *mpi.Comm) error { _, err := mpi.Recv(c, []int{0}, mpi.AnySource, 0); return err },
	"probe": func(c *mpi.Comm) error { _, err := mpi.Probe(c, 0, 0); return err },
	"wait": func(c *mpi.Comm) error {
		r, err := mpi.Irecv(c, []int{0}, 0, 0)
		if err == nil {
			_, err = r.Wait()
		}
		return err
	},
	"barrier":   func(c *mpi.Comm) error { return c.Barrier() },
	"allreduce": func(c *mpi.Comm) error { return mpi.Allreduce(c, nil, make([]int, 4), mpi.Sum[int]()) },
	"long":      func(c *mpi.Comm) error { return mpi.Allreduce(c, nil, make([]int, 1<<17), mpi.Sum[int]()) },
	"bcast":     func(c *mpi.Comm) error { return mpi.Bcast(c, make([]int, 1<<17), 0) },
	"dup":       func(c *mpi.Comm) error { _, err := c.Dup(); return err },
	"ibarrier": func(c *mpi.Comm) error {
		r, err := c.Ibarrier()
		if err == nil {
			_, err = r.Wait()
		}
		return err
	},
}

// revoke has rank 0 revoke communicators on which the others are in an operation, or about to begin one. A barrier
// before makes the board of the communicator, or not.
func revoke(world *mpi.Comm) error {
	for _, name := range slices.Sorted(maps.Keys(underway)) {
		for _, used := range []bool{false, true} {
			c, err := world.Dup()
			if err == nil && used {
				err = c.Barrier()
			}
			if err != nil {
				return err
			}
			if world.Rank() == 0 {
				err = c.Revoke()
			} else if err = underway[name](c); errors.Is(err, mpi.ErrRevoked) {
				err = nil
			} else {
				err = fmt.Errorf("%s on a communicator that is revoked: %v", name, err)
			}
			if err != nil {
				return err
			}
			if err := refused(c); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := errors.Join(c.Free(), world.Barrier()); err != nil { // others are not revoked
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if world.Rank() == 0 {
		fmt.Println("revoke: right")
	}
	return nil
}

// revokeWorld has rank 0 make a call more than the others, revoke the world, and end. When it has gone each call of the
// others is refused because of the revocation.
func revokeWorld(world *mpi.Comm) error {
	pid := []int{os.Getpid()}
	if err := mpi.Bcast(world, pid, 0); err != nil {
		return err
	}
	if world.Rank() == 0 {
		return errors.Join(mpi.Bcast(world, pid, 0), world.Revoke())
	}
	for syscall.Kill(pid[0], 0) == nil {
		runtime.Gosched()
	}
	for range 2 {
		if err := mpi.Bcast(world, []int{0}, 1); !errors.Is(err, mpi.ErrRevoked) {
			return fmt.Errorf("bcast on the world: %v", err)
		}
	}
	return nil
}

// agree has the last rank die in agreements on the world, which is revoked in the middle. The others have its
// contribution, or the error that it has given none, in all of them at the same one. Then they go on by a communicator
// without it, until all but rank 0 have died.
func agree(world *mpi.Comm) error {
	for c := world; c.Size() > 1; {
		dead, living := c.Size()-1, 1<<(c.Size()-1)-1
		for round := 0; ; round++ {
			if c.Rank() == dead && round == 5 {
				return die()
			}
			if c.Rank() == 0 && round == 2 {
				if err := c.Revoke(); err != nil {
					return err
				}
			}
			flag, err := c.Agree(1<<c.Rank() ^ -1)
			if round < 5 && (err != nil || flag != ^(living|1<<dead)) {
				return fmt.Errorf("round %d: %#x, %v", round, flag, err)
			}
			if errors.As(err, new(*mpi.LostError)) && flag == ^living {
				break
			}
			if err != nil {
				return err
			}
		}
		c.Acknowledge(c.Failed().Size())
		if _, err := c.Agree(-1); err != nil {
			return fmt.Errorf("when all have acknowledged: %w", err)
		}
		less, err := c.Shrink()
		if err != nil {
			return err
		}
		sum := []int{1}
		err = mpi.Allreduce(less, nil, sum, mpi.Sum[int]())
		if err != nil || sum[0] != dead || less.Rank() != c.Rank() {
			return fmt.Errorf("shrunk: %d of %d: %v, %v", less.Rank(), dead, sum, err)
		}
		c = less
	}
	if world.Rank() == 0 {
		fmt.Println("agree: right")
	}
	return nil
}

// refused requires that all that begins on a revoked communicator is refused, but for local calls.
func refused(c *mpi.Comm) error {
	_, received := mpi.Irecv(c, []int{0}, 0, 0)
	_, duplicate := c.Dup()
	for _, err := range []error{mpi.Send(c, []int{0}, 0, 0), received, duplicate, c.Barrier()} {
		if !errors.Is(err, mpi.ErrRevoked) {
			return fmt.Errorf("after a revocation: %v", err)
		}
	}
	if !c.IsRevoked() || c.Size() != c.Group().Size() || c.Revoke() != nil {
		return errors.New("local calls work on a revoked communicator")
	}
	return nil
}

// collectives has the last rank die in the middle of collectives. Each survivor gets an error, by itself or because
// another one has revoked the communicator, and then all go on by another one.
func collectives(world *mpi.Comm) error {
	dead := world.Size() - 1
	sum := make([]int, 1000)
	var err error
	for round := 0; err == nil; round++ {
		if world.Rank() == dead && round == 5 {
			return die()
		}
		err = mpi.Allreduce(world, nil, sum[:1+round%2*999], mpi.Sum[int]())
	}
	if !errors.As(err, new(*mpi.LostError)) && !errors.Is(err, mpi.ErrRevoked) {
		return err
	}
	if err := world.Revoke(); err != nil {
		return err
	}
	if err := world.Barrier(); !errors.Is(err, mpi.ErrRevoked) {
		return fmt.Errorf("barrier on the world: %v", err)
	}
	if world.Rank() == 0 {
		fmt.Println("collectives: right")
	}
	return nil
}
