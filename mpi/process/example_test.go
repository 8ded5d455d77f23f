package process_test

import (
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/process"
)

// A program that is started with two ranks starts six more of itself, and goes on with all eight.
func ExampleSpawn() {
	mpi.Run(func(world *mpi.Comm) error {
		all, err := process.Parent(world)
		if err == nil && all == nil { // nobody has started this rank: it is one of the first
			all, err = process.Spawn(world, 0, 6, os.Args[0])
		}
		if err != nil {
			return err
		}
		n, err := mpi.AllreduceOne(all, 1, mpi.Sum[int]())
		if err != nil {
			return err
		}
		fmt.Println(n, "ranks")
		return process.Disconnect(all)
	})
}

// A job that serves others until they have sent it a zero.
func ExampleAccept() {
	mpi.Run(func(world *mpi.Comm) error {
		var port *process.Port
		if world.Rank() == 0 {
			var err error
			if port, err = process.Open(world); err != nil {
				return err
			}
			defer port.Close()
			if err := port.Publish("squares"); err != nil {
				return err
			}
		}
		for n := 1; n != 0; {
			both, err := process.Accept(world, 0, port)
			if err != nil {
				return err
			}
			if n, err = mpi.BcastOne(both, n, world.Size()); err != nil { // of the first rank of the others
				return err
			}
			if _, err = mpi.BcastOne(both, n*n, 0); err != nil {
				return err
			}
			if err := process.Disconnect(both); err != nil {
				return err
			}
		}
		return nil
	})
}

// A job that asks the other one.
func ExampleConnect() {
	mpi.Run(func(world *mpi.Comm) error {
		port, err := process.Lookup(world, "squares") // that of rank 0 counts
		if err != nil {
			return err
		}
		both, err := process.Connect(world, 0, port, 0)
		if err != nil {
			return err
		}
		if _, err = mpi.BcastOne(both, 12, both.Size()-world.Size()); err != nil {
			return err
		}
		square, err := mpi.BcastOne(both, 0, 0)
		if err != nil {
			return err
		}
		fmt.Println(square)
		return process.Disconnect(both)
	})
}
