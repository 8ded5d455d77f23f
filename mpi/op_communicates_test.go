package mpi

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// communicatingOperator: an operator communicates, in all forms of a reduction. All ranks get an error that names the
// rank, and the same calls are right afterwards.
func communicatingOperator(c *Comm) error {
	if c.Size() == 1 {
		return nil
	}
	other, err := c.Dup()
	if err != nil {
		return err
	}
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	early := make([]int, 1)
	begun, err := Irecv(c, early, last, 10)
	if err != nil {
		return err
	}
	freed, err := c.Dup() // with an operation underway: calls that make communicators ask for its end
	if err != nil {
		return err
	}
	late, err := Irecv(freed, early[:0], last, 11)
	sent, sending := Isend(freed, early[:0], next, 11)
	if err := first(err, sending, freed.Free()); err != nil {
		return err
	}
	for _, call := range communicatingCalls(c, other, next, &begun) {
		if err := reduceWhile(c, call); err != nil {
			return err
		}
		if err := first(other.Barrier(), c.Barrier()); err != nil {
			return err
		}
		got := []int{-1}
		if _, err := Sendrecv(c, []int{c.Rank()}, next, 9, got, last, 9); err != nil || got[0] != last {
			return fmt.Errorf("a message of %d arrives as %d: %w", last, got[0], err)
		}
	}
	if err := Send(c, []int{c.Rank()}, next, 10); err != nil {
		return err
	}
	_, err = begun.Wait()
	_, received := late.Wait()
	_, sending = sent.Wait()
	return first(err, received, sending, want("a receive that was begun before", early[0], last), other.Free())
}

// communicatingCalls are calls that wait, or poll until there is an error.
func communicatingCalls(c, other *Comm, next int, begun *Request) []func() error {
	one, long := make([]int, 1), make([]int, 1<<17)
	return []func() error{
		other.Barrier,
		c.Barrier,
		func() error { _, err := c.Ibarrier(); return err },
		func() error {
			g := NewGraph(c)
			g.Tie()
			_, err := g.Issue()
			return err
		},
		func() error { _, err := c.Dup(); return err },
		func() error { _, _, err := c.Idup(); return err },
		func() error { _, err := Recv(c, one, next, 9); return err },
		func() error { return Send(c, long, next, 9) },
		func() error { return Ssend(c, one, next, 9) },
		func() error { _, err := Sendrecv(c, long, next, 9, one, next, 9); return err },
		func() error { _, err := Probe(c, next, 9); return err },
		func() error { _, err := begun.Wait(); return err },
		func() error { _, _, err := WaitAny([]Request{*begun}); return err },
		func() error {
			for {
				if _, _, err := begun.Test(); err != nil {
					return err
				}
			}
		},
		func() error {
			for {
				if _, _, err := Iprobe(c, next, 9); err != nil {
					return err
				}
			}
		},
	}
}

// reduceWhile reduces with an operator that makes a call.
func reduceWhile(c *Comm, call func() error) error {
	op := NewOp(func(inout, in []int) {
		if err := call(); !errors.Is(err, comm.ErrOperator) {
			panic(fmt.Sprintf("the call returns %v", err))
		}
	}, true)
	for _, n := range []int{1, 1 << 14} {
		v := make([]int, n)
		persistent, err := AllreduceInit(c, nil, v, op)
		if err != nil {
			return err
		}
		for _, err := range []error{
			Allreduce(c, nil, v, op), result(Iallreduce(c, nil, v, op)), result(persistent, persistent.Start()),
		} {
			found, ok := errors.AsType[*OperatorError](err)
			if !ok || found.Rank < 0 || found.Rank >= c.Size() {
				return fmt.Errorf("a reduction returns %w", err)
			}
			if err := wantContains(err, "an operator must not communicate"); err != nil {
				return err
			}
		}
		if err := persistent.Free(); err != nil {
			return err
		}
	}
	return nil
}

// localOperator: nothing is underway in ReduceLocal, so its operator may do as any other function.
func localOperator(c *Comm) error {
	r, err := Isend(c, []int{7}, c.Rank(), 9)
	if err != nil {
		return err
	}
	got := []int{0}
	op := NewOp(func(inout, _ []int) { _, err = Recv(c, inout, c.Rank(), 9) }, true)
	if local := ReduceLocal(got, []int{0}, op); local != nil || err != nil {
		return errors.Join(local, err)
	}
	_, err = r.Wait()
	return first(err, want("the message", got[0], 7))
}
