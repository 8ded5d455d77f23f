package mpi

import (
	"errors"
	"fmt"
)

// refusedAmongOthers: calls that one rank alone is refused are none, wherever they stand among the others. If calls
// are checked, those that all ranks make are told, and the rest arrive.
func refusedAmongOthers(c *Comm) error {
	root := c.Size() - 1
	if root == 0 {
		return nil
	}
	own, err := c.Dup() // where no other case makes one of these calls
	if err != nil {
		return err
	}
	one := c.Rank() == root
	for round := range 20 {
		if err := broadcasts(own, root, 10*round, func() error { return refusedReductions(own, one) }); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return own.Free()
}

// refusedReductions are calls of one rank alone, in all forms.
func refusedReductions(c *Comm, one bool) error {
	if !one {
		return nil
	}
	send, short := make([]int, 4), make([]int, 3)
	blocking := Allreduce(c, send, short, Sum[int]())
	_, begun := Iallreduce(c, send, short, Sum[int]())
	_, prepared := AllreduceInit(c, send, short, Sum[int]())
	_, gathered := Iallgather(c, send, short)
	for _, err := range []error{blocking, begun, prepared, gathered} {
		if _, ok := errors.AsType[*BufferError](err); !ok {
			return fmt.Errorf("a call with a short buffer returns %w", err)
		}
	}
	return nil
}

// broadcasts begins some broadcasts, with other calls between, and waits for them, the last one first.
func broadcasts(c *Comm, root, value int, between func() error) error {
	const calls = 4
	var requests [calls]Request
	var got [calls][1]int
	for i := range requests {
		if c.Rank() == root {
			got[i][0] = value + i
		}
		var err error
		if requests[i], err = Ibcast(c, got[i][:], root); err != nil {
			return err
		}
		if err := between(); err != nil {
			return err
		}
	}
	here := []int{0}
	if c.Rank() == root {
		here[0] = value
	}
	if err := Bcast(c, here, root); err != nil || here[0] != value {
		return fmt.Errorf("a broadcast of %d gives %d: %w", value, here[0], err)
	}
	for i := calls - 1; i >= 0; i-- {
		if _, err := requests[i].Wait(); err != nil || got[i][0] != value+i {
			return fmt.Errorf("broadcast %d of %d gives %d: %w", i, value+i, got[i][0], err)
		}
	}
	return nil
}
