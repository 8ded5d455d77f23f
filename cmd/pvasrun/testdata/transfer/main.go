// Command transfer is a rank program that exchanges messages of all protocols with
// its neighbours until one of the ranks dies, and says so.
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
	signal.Ignore(syscall.SIGTERM) // what ends this rank must be its own error
	world, err := mpi.Init()
	if err != nil {
		fmt.Println("init:", err)
		os.Exit(1)
	}
	fmt.Println("pid", os.Getpid())
	err = exchange(world)
	if lost, ok := errors.AsType[*mpi.LostError](err); ok {
		fmt.Println("survivor: lost rank", lost.Rank)
		os.Exit(0)
	}
	fmt.Println("unexpected:", err)
	os.Exit(1)
}

// exchange shifts buffers of growing size around the ranks, in both directions,
// blocking and not, and checks what arrives. It ends with an error only.
func exchange(world *mpi.Comm) error {
	n := world.Size()
	right, left := (world.Rank()+1)%n, (world.Rank()+n-1)%n
	for round := 0; ; round++ {
		for _, size := range []int{8, 700, 4096, 100_000, 3 << 20} {
			out, in := make([]byte, size), make([]byte, size)
			out[0], out[size-1] = byte(round), byte(world.Rank())
			if _, err := mpi.Sendrecv(world, out, right, 1, in, left, 1); err != nil {
				return err
			}
			if in[0] != byte(round) || in[size-1] != byte(left) {
				return fmt.Errorf("wrong data in round %d", round)
			}
			request, err := mpi.Isend(world, out, left, 2)
			if err != nil {
				return err
			}
			if _, err := mpi.Recv(world, in, right, 2); err != nil {
				return err
			}
			if _, err := request.Wait(); err != nil {
				return err
			}
		}
		if err := world.Barrier(); err != nil {
			return err
		}
	}
}
