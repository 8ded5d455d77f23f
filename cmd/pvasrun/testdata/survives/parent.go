package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

// parent has rank 1 die while all start others: see orphan. The survivors have the same answer. Rank 0 prints a line.
func parent(world *mpi.Comm) error {
	pids, err := mpi.AllgatherOne(world, os.Getpid())
	if err != nil {
		return err
	}
	args := []string{"orphan", strconv.Itoa(pids[1])}
	both, err := world.Spawn(0, mpi.Command{Program: os.Args[0], Args: args, N: 2})
	left, shrinkErr := world.Shrink()
	if shrinkErr != nil {
		return shrinkErr
	}
	started, sumErr := mpi.AllreduceOne(left, one(err == nil), mpi.Sum[int]())
	if sumErr != nil || started != 0 && started != left.Size() {
		return fmt.Errorf("%d of %d have the others: %v, %v", started, left.Size(), err, sumErr)
	}
	if world.Rank() == 0 {
		fmt.Println("parent: right")
	}
	if both != nil {
		_ = both.Free() // an error: rank 1 has failed
	}
	return left.Free()
}

// orphan is what those do that parent has started.
func orphan(world *mpi.Comm) error {
	pid, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	if world.Rank() == 0 {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
	}
	if both, err := world.Parents(); err == nil {
		_ = both.Free() // as above
	}
	return nil
}
