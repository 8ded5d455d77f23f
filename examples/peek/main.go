// Peek shows what one address space means: rank 0 prints a text that lies in the
// ordinary Go heap of rank 1, another process with its own Go runtime, from right
// there. Nothing is sent, and nothing is copied before the kernel prints it.
//
//	pvasrun -n 2 ./examples/peek
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

func main() { mpi.Run(peek) }

func peek(world *mpi.Comm) error {
	if world.Size() < 2 {
		fmt.Println("peek needs two ranks: run it with pvasrun -n 2")
		return nil
	}
	var text []byte // everybody but rank 1 exposes nothing
	if world.Rank() == 1 {
		text = fmt.Appendf(nil, "hello from the heap of rank 1, pid %d\n", os.Getpid())
	}
	win, err := mpi.WinCreate(world, text)
	if errors.Is(err, mpi.ErrNotOneAddressSpace) {
		if world.Rank() == 0 {
			fmt.Println("peek cannot read the heap of rank 1:", mpi.ErrNotOneAddressSpace)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if world.Rank() == 0 {
		if err := show(win); err != nil {
			return err
		}
	}
	return win.Free() // which waits for all: rank 1 leaves its text alone until rank 0 has read it
}

// show prints rank 1's text. The memory goes to write(2) as it is; going through
// fmt would copy it once.
func show(win *mpi.Window[byte]) error {
	text, err := win.Segment(1)
	if err != nil {
		return err
	}
	if _, err := fmt.Printf("rank 0, pid %d, reads at %p: ", os.Getpid(), text); err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}
