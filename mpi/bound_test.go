package mpi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// underContexts: calls on a view do what calls on the communicator do, and end when the context does.
func underContexts(c *Comm) error {
	left, right := ring(c)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v := c.With(ctx)
	if err := first(want("rank", v.Rank(), c.Rank()), want("size", v.Size(), c.Size()),
		want("a context without end", c.With(context.Background()), c), want("nil", (*Comm)(nil).With(ctx), nil),
		want("twice", v.With(context.Background()), c)); err != nil {
		return err
	}
	for _, n := range lengths {
		in := make([]int32, n)
		_, err1 := Sendrecv(v, numbers(n, c.Rank()), right, 1, in, left, 1)
		send, err2 := Isend(v, numbers(n, c.Rank()), right, 2)
		got, st, err3 := RecvAlloc[int32](v, AnySource, 2)
		err := first(err1, err2, err3, checkNumbers(in, left), checkNumbers(got, left), want("source", st.Source, left),
			drain([]Request{send}))
		if err != nil {
			return fmt.Errorf("%d elements: %w", n, err)
		}
	}
	sum, err1 := AllreduceOne(v, 1, Sum[int]())
	all, err2 := AllgatherAlloc(v, numbers(c.Rank(), 1))
	req, err3 := v.Ibarrier()
	if err := first(err1, err2, err3, want("sum", sum, c.Size()), want("parts", len(all), c.Size()),
		drain([]Request{req}), v.Barrier()); err != nil {
		return err
	}
	_, err := v.Dup()
	_, shrunk := v.Shrink()
	_, agreed := v.Agree(1)
	if err := first(wantIs("dup", err, ErrView), wantIs("free", v.Free(), ErrView), wantIs("shrink", shrunk, ErrView),
		wantIs("agree", agreed, ErrView), c.Barrier()); err != nil {
		return err
	}
	return endsWithIt(c, left)
}

// endsWithIt: what waits for a message that nobody sends ends with its context, and loses no message.
func endsWithIt(c *Comm, left int) error {
	odd := errors.New("odd")
	for _, call := range []func(v *Comm) error{
		func(v *Comm) error { return second(Recv(v, []int{0}, AnySource, 1)) },
		func(v *Comm) error { return second(Probe(v, left, 1)) },
		func(v *Comm) error { _, _, err := Mprobe(v, left, AnyTag); return err },
		func(v *Comm) error { _, _, err := RecvAlloc[int](v, left, 1); return err },
		func(v *Comm) error { return second(Sendrecv(v, []int{1}, ProcNull, 1, []int{0}, left, 1)) },
		func(v *Comm) error {
			for _, err := range Messages[int](v, AnySource, 1) {
				return err
			}
			return nil
		},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		v := c.With(ctx)
		over := make(chan error, 1)
		go func() { over <- call(v) }()
		cancel(odd)
		if err := first(wantIs("call", <-over, odd), wantIs("a call later", call(v), odd),
			wantIs("a send", Send(v, []int{1}, left, 9), odd), wantIs("a barrier", v.Barrier(), odd)); err != nil {
			return err
		}
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	if _, ok, err := Iprobe(c, AnySource, AnyTag); ok || err != nil {
		return fmt.Errorf("a message: %t, %w", ok, err)
	}
	return nil
}

func second[T any](_ T, err error) error { return err }

// interruptedCalls: a send that nobody receives, and a barrier that one rank does not come to, end with the context.
func interruptedCalls(c *Comm) error {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	own, err := c.Dup()
	if err != nil {
		return err
	}
	last := c.Size() - 1
	large := make([]int, 1<<17)
	if c.Rank() == last { // is in no call of own
		buf := make([]int, len(large))
		for rank := range last {
			if err := second(Recv(c, []int{0}, rank, 2)); err != nil { // it has given up the send
				return err
			}
			if err := second(Recv(c, buf, rank, 1)); err != nil {
				return err
			}
		}
		return c.Barrier()
	}
	v := own.With(ctx)
	err1 := Send(c.With(ctx), large, last, 1)
	err2 := SendOne(c, 1, last, 2)
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	v = v.With(ctx)
	err3 := v.Barrier()
	return first(wantIs("send", err1, context.DeadlineExceeded), err2,
		wantIs("barrier", err3, context.DeadlineExceeded),
		wantIs("later", second(AllreduceOne(own, 1, Sum[int]())), ErrInterrupted),
		wantIs("message", SendOne(own, 1, last, 2), ErrInterrupted), c.Barrier())
}

// A rank that was interrupted in a collective of the world ends well.
func interruptedWorld(c *Comm) error {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	own, err := c.Dup()
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		err = wantIs("barrier", c.With(ctx).Barrier(), context.DeadlineExceeded)
	}
	return first(err, own.Barrier())
}

func TestInterrupted(t *testing.T) {
	for _, ranks := range []int{2, 3} {
		jobtest.Run(t, smJob(ranks), "interrupted")
		jobtest.Run(t, smJob(ranks), "interrupted world")
		jobtest.Run(t, smJob(ranks), "interrupted ends")
	}
}

// interruptedSurvivor: those who outlive an interrupted collective hear of it.
func interruptedSurvivor(c *Comm) error {
	own, err := c.Dup()
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		_, _, err := RecvOne[int](own, 1, 1)
		return wantIs("receive", err, ErrRevoked)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	return first(wantIs("barrier", own.With(ctx).Barrier(), context.DeadlineExceeded),
		wantIs("later", own.Barrier(), ErrRevoked))
}

func TestInterruptedSurvivorsHear(t *testing.T) {
	j := smJob(2)
	j.Settings.Survive = true
	jobtest.Run(t, j, "interrupted survivor")
}

// interruptedEnds: after Finalize nothing is left of collectives that were interrupted, of whatever way.
func interruptedEnds() error {
	c, err := Init()
	if err != nil {
		return err
	}
	large := make([]int, 1<<17)
	calls := []func(v *Comm) error{
		(*Comm).Barrier,
		func(v *Comm) error { return Allreduce(v, nil, make([]int, 1), Sum[int]()) },
		func(v *Comm) error { return Allreduce(v, nil, large, Sum[int]()) },
		func(v *Comm) error { return Bcast(v, large, 1) },
		func(v *Comm) error { return Gather(v, large[:1000], make([]int, 1000*v.Size()), 0) },
	}
	for _, call := range calls {
		own, err := c.Dup()
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if err := wantIs("call", call(own.With(ctx)), context.DeadlineExceeded); err != nil {
				return err
			}
		}
	}
	if err := first(c.Barrier(), c.Finalize()); err != nil {
		return err
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if strings.Contains(string(stacks), "(*Team).Run(") {
		return fmt.Errorf("a collective goes on:\n%s", stacks)
	}
	return nil
}
