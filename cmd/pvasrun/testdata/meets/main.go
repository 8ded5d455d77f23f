// Command meets starts ranks of itself, and meets another job of itself at a port. Each communicator of both sides is
// tried by a sum and by a message from its last rank to its first.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/process"
)

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		if c, err := process.Parent(world); c != nil || err != nil {
			return errors.Join(err, try(c, 2))
		}
		switch way, arg := os.Args[1], os.Args[2]; way {
		case "spawn":
			c, err := process.Spawn(world, world.Size()-1, 3, arg, "child")
			if err != nil {
				return err
			}
			return try(c, world.Size())
		case "serve":
			return serve(world, arg)
		default:
			return join(world, arg)
		}
	})
}

// serve accepts two other jobs, one after the other.
func serve(world *mpi.Comm, service string) error {
	var p *process.Port
	if world.Rank() == 1 {
		var err error
		if p, err = process.Open(world); err != nil {
			return err
		}
		if err = p.Publish(service); err != nil {
			return err
		}
	}
	for range 2 {
		c, err := process.Accept(world, 1, p)
		if err != nil {
			return err
		}
		if err = try(c, world.Size()); err != nil {
			return err
		}
	}
	if p != nil {
		return p.Close()
	}
	return nil
}

// join connects when the service is there.
func join(world *mpi.Comm, service string) error {
	var name string
	for end := time.Now().Add(30 * time.Second); world.Rank() == 0; time.Sleep(time.Millisecond) {
		var err error
		if name, err = process.Lookup(world, service); err == nil {
			break
		}
		if !errors.Is(err, process.ErrName) || time.Now().After(end) {
			return err
		}
	}
	c, err := process.Connect(world, 0, name, 0)
	if err != nil {
		return err
	}
	return try(c, c.Size()-world.Size())
}

// try makes calls on a communicator whose first ranks are of the other side, or of this one.
func try(c *mpi.Comm, first int) error {
	sum, err := mpi.AllreduceOne(c, 1, mpi.Sum[int]())
	if err != nil || sum != c.Size() {
		return fmt.Errorf("the sum of %d is %d: %w", c.Size(), sum, err)
	}
	last, got := c.Size()-1, []int{0}
	switch c.Rank() {
	case last:
		err = mpi.Send(c, []int{first}, 0, 7)
	case 0:
		_, err = mpi.Recv(c, got, last, 7)
		fmt.Printf("%d ranks, the last %d behind %d\n", c.Size(), c.Size()-first, got[0])
	}
	return errors.Join(err, process.Disconnect(c))
}
