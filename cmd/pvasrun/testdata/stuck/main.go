// Command stuck is a rank program that never ends. Its argument says why: every rank receives from its right neighbour
// (ring), or from both neighbours by a goroutine each (goroutines). Rank 0 stays out of a barrier (late). Ranks 0 and 1
// poll (polls). Or rank 0 receives from rank 1 while the others are in a second Allreduce (allreduce), in Dup (dup) or
// in Sync of a file (file).
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		fmt.Println("up")
		if os.Args[1] == "late" {
			if world.Rank() == 0 {
				forever := make(chan os.Signal, 1)
				signal.Notify(forever, syscall.SIGWINCH)
				<-forever
			}
			return world.Barrier()
		}
		if os.Args[1] == "allreduce" {
			sum := []int64{1}
			if err := mpi.Allreduce(world, nil, sum, mpi.Sum[int64]()); err != nil {
				return err
			}
			if world.Rank() > 0 {
				return mpi.Allreduce(world, nil, sum, mpi.Sum[int64]())
			}
			_, err := mpi.Recv(world, make([]byte, 32), 1, 7)
			return err
		}
		if os.Args[1] == "dup" && world.Rank() > 0 {
			_, err := world.Dup()
			return err
		}
		if os.Args[1] == "file" {
			f, err := mpi.OpenFile(world, "/dev/null", mpi.FileReadWrite, nil)
			if err != nil {
				return err
			}
			if world.Rank() > 0 {
				return f.Sync()
			}
		}
		if os.Args[1] == "polls" && world.Rank() < 2 {
			return polls(world)
		}
		if os.Args[1] == "goroutines" {
			return goroutines(world)
		}
		_, err := mpi.Recv(world, make([]byte, 32), (world.Rank()+1)%world.Size(), 7)
		return err
	})
}

// goroutines receives from both neighbours. Nobody sends.
func goroutines(world *mpi.Comm) error {
	left := make(chan error)
	go func() {
		_, err := mpi.Recv(world, make([]byte, 32), (world.Rank()+world.Size()-1)%world.Size(), 7)
		left <- err
	}()
	_, err := mpi.Recv(world, make([]byte, 32), (world.Rank()+1)%world.Size(), 7)
	return errors.Join(err, <-left)
}

// polls asks for a message again and again, by a request or by a probe. Nobody sends.
func polls(world *mpi.Comm) error {
	if world.Rank() == 1 {
		for {
			if _, found, err := mpi.Iprobe(world, 0, 8); found || err != nil {
				return err
			}
		}
	}
	r, err := mpi.Irecv(world, make([]byte, 100), 1, 5)
	for tag := range 6 {
		_, e := mpi.Irecv(world, make([]byte, 10), 2, tag)
		err = errors.Join(err, e)
	}
	for done := false; err == nil && !done; {
		_, done, err = r.Test()
	}
	return err
}
