package main

import (
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["halo"], stops["blocks"] = halo, blocks
}

// The left column of a matrix goes to the rank before, which has it beyond its right one.
func halo(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	matrix := []int{
		10*me + 1, 10*me + 2, 0,
		10*me + 3, 10*me + 4, 0,
	}
	left, beyond := mpi.Vector(matrix, 2, 1, 3), mpi.Vector(matrix[2:], 2, 1, 3)
	if _, err := left.Sendrecv(world, (me+n-1)%n, 0, beyond, (me+1)%n, 0); err != nil {
		return err
	}
	fmt.Printf("rank %d: %v %v\n", me, matrix[:3], matrix[3:])
	return nil
}

// Blocks of any lengths in any order travel in the background.
func blocks(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	view := mpi.Indexed([]byte("of ranks a view "), []int{7, 8}, []int{9, 0})
	if err := view.Err(); err != nil { // else the call that uses it says what is wrong
		return err
	}
	text := make([]byte, view.Len())
	recv, err := mpi.Whole(text).Irecv(world, (me+n-1)%n, 0)
	if err != nil {
		return err
	}
	send, err := view.Isend(world, (me+1)%n, 0)
	if err != nil {
		return err
	}
	_, done, err := recv.Test()
	if err == nil && !done {
		_, err = recv.Wait()
	}
	if err != nil {
		return err
	}
	fmt.Printf("rank %d got %q\n", me, text)
	_, err = send.Wait()
	return err
}
