package mpi

import (
	"errors"
	"fmt"
)

// refusedAmongOthers: a call that one rank is refused counts as this call, wherever it stands among the others. The
// calls before and after it arrive.
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

// refusedReductions are calls that one rank is refused.
func refusedReductions(c *Comm, one bool) error {
	send, all := make([]int, 4), make([]int, 4*c.Size())
	sum := all[:4]
	if one {
		sum, all = all[:3], all[:3]
	}
	for _, err := range []error{Allreduce(c, send, sum, Sum[int]()), Allgather(c, send, all)} {
		_, short := errors.AsType[*BufferError](err)
		mismatch, told := errors.AsType[*MismatchError](err)
		if one != short || !one && !(told && mismatch.Refused) {
			return fmt.Errorf("a call with a short buffer at one rank returns %w", err)
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
