// Coupled is two jobs that meet at a port. One serves: it prints the port, and waits for the other one, which connects
// and says how exactly it wants to know pi. Then both are in one communicator: first the ranks that serve.
//
//	pvasrun -n 4 ./examples/gallery/coupled
//	pvasrun -n 1 ./examples/gallery/coupled -connect PORT -n 1000000
package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	n := args.Number("n", 10_000_000, 1e9, "`number` of steps, at the job that connects")
	port := flag.String("connect", "", "the `port` that the job that serves has printed")
	args.Parse("")
	mpi.Run(func(world *mpi.Comm) error {
		all, err := meet(world, *port)
		if err != nil {
			return err
		}
		client := all.Size() - 1
		steps, err := mpi.BcastOne(all, *n, client)
		if err != nil {
			return err
		}
		sum := 0.0
		for i := all.Rank(); *port == "" && i < steps; i += world.Size() {
			x := (float64(i) + 0.5) / float64(steps)
			sum += 4 / (1 + x*x) / float64(steps)
		}
		sum, err = mpi.ReduceOne(all, sum, mpi.Sum[float64](), client)
		if err == nil && all.Rank() == client {
			fmt.Printf("%d ranks of the other job say that pi is %.9f\n", all.Size()-world.Size(), sum)
		}
		return err
	})
}

func meet(world *mpi.Comm, port string) (*mpi.Comm, error) {
	if port != "" {
		return world.Connect(port, 0)
	}
	port, err := world.OpenPort() // each rank has one; rank 0's counts
	if err != nil {
		return nil, err
	}
	if world.Rank() == 0 {
		fmt.Println(port)
	}
	all, err := world.Accept(port, 0)
	return all, errors.Join(err, world.ClosePort(port))
}
