package mpi

import (
	"context"
	"errors"
	"fmt"
)

func persistent(c *Comm) error {
	left, right := ring(c)
	for _, n := range []int{1, 1000, 20_000} {
		out, in := make([]int32, n), make([]int32, n)
		s, err1 := SendInit(c, out, right, 4)
		r, err2 := RecvInit(c, in, left, 4)
		_, err3 := r.Wait() // not active: nothing to wait for
		if err := first(err1, err2, err3); err != nil {
			return err
		}
		for round := range 20 {
			copy(out, numbers(n, round))
			err1, err2 := r.Start(), s.Start()
			err3, err4 := r.Start(), r.Free()
			if err := first(err1, err2, wantIs("start of an active request", err3, ErrActive),
				wantIs("free of an active request", err4, ErrActive)); err != nil {
				return err
			}
			reqs := []Request{s, r}
			sts := make([]Status, 2)
			if err := first(WaitAll(reqs, sts), checkNumbers(in, round), want("count", sts[1].Count, n)); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		copied := s
		err1, err2 = s.Free(), r.Free()
		if err := first(err1, err2, wantIs("start after free", copied.Start(), ErrNotPersistent),
			wantIs("start of none", s.Start(), ErrNotPersistent)); err != nil {
			return err
		}
	}
	return nil
}

// manyRequests are received in the reverse order.
func manyRequests(c *Comm) error {
	const n = 1000
	left, right := ring(c)
	reqs := make([]Request, 0, 2*n)
	in := make([]int32, n)
	for i := range n {
		s, err1 := Isend(c, []int32{int32(i)}, right, i)
		r, err2 := Irecv(c, in[n-1-i:n-i], left, n-1-i)
		if err := first(err1, err2); err != nil {
			return err
		}
		reqs = append(reqs, s, r)
	}
	return first(drain(reqs), checkNumbers(in, 0))
}

// manyOffers: synchronous sends are received in the reverse order, so the last one must
// be seen while all others are underway.
func manyOffers(c *Comm) error {
	const n = 400
	left, right := ring(c)
	sends := make([]Request, n)
	for i := range n {
		var err error
		if sends[i], err = Issend(c, []int32{int32(i)}, right, i); err != nil {
			return err
		}
	}
	for i := n - 1; i >= 0; i-- {
		v := []int32{0}
		_, err := Recv(c, v, left, i)
		if err := first(err, want("number", v[0], int32(i))); err != nil {
			return err
		}
	}
	return drain(sends)
}

// waitWithContext: a wait that was given up has not touched the receive.
func waitWithContext(c *Comm) error {
	left, right := ring(c)
	buf := make([]int32, 5)
	r, err := Irecv(c, buf, left, 0)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := r.WaitContext(ctx)
		done <- err
	}()
	other := make([]int32, 1)
	if _, err := Sendrecv(c, []int32{1}, right, 1, other, left, 1); err != nil { // progress goes on beside it
		return err
	}
	cancel()
	if err := wantIs("wait", <-done, context.Canceled); err != nil {
		return err
	}
	if _, err := r.WaitContext(ctx); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("wait with a context that is done: %v", err)
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	s, err1 := Isend(c, numbers(5, 2), right, 0)
	st, err2 := r.WaitContext(context.Background())
	return first(err1, err2, want("count", st.Count, 5), checkNumbers(buf, 2), drain([]Request{s}))
}

// staleRequests: a copy of a request that was waited for stands for nothing, also when
// its operation is used again.
func staleRequests(c *Comm) error {
	left, right := ring(c)
	buf := make([]int32, 2)
	r, err1 := Irecv(c, buf, left, 0)
	s, err2 := Isend(c, numbers(2, 1), right, 0)
	stale := r
	_, err3 := r.Wait()
	next, err4 := Irecv(c, buf, left, 1)
	_, err5 := stale.Wait() // at once
	_, done, err6 := stale.Test()
	err7 := stale.Cancel()
	_, ready, err8 := next.Test()
	if err := first(err1, err2, err3, err4, err5, err6, err7, err8, want("done", done, true),
		want("ready", ready, false),
		c.Barrier()); err != nil {
		return err
	}
	t, err1 := Isend(c, numbers(2, 2), right, 1)
	return first(err1, drain([]Request{next, s, t, {}}), checkNumbers(buf, 2))
}
