package mpi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// sendFlood: all ranks send to rank 0 more than it can hold before it begins to
// receive; nothing is lost and the order is kept.
func sendFlood(c *Comm) error {
	const n, tag = 1500, 1
	if c.Rank() != 0 {
		for i := range n {
			if err := Send(c, []int32{int32(i)}, 0, tag); err != nil {
				return err
			}
		}
		return nil
	}
	next := make([]int32, c.Size())
	for range n * (c.Size() - 1) {
		var v [1]int32
		st, err := Recv(c, v[:], AnySource, tag)
		if err != nil {
			return err
		}
		if err := want("number", v[0], next[st.Source]); err != nil {
			return err
		}
		next[st.Source]++
	}
	return nil
}

var lengths = []int{0, 1, 15, 16, 17, 100, 1023, 1024, 1025, 5000, 100_000}

func probeUnexpected(c *Comm) error {
	left, right := ring(c)
	var sends []Request
	for i, n := range lengths {
		r, err := Isend(c, numbers(n, i), right, i)
		if err != nil {
			return err
		}
		sends = append(sends, r)
	}
	for i := len(lengths) - 1; i >= 0; i-- {
		st, err := Probe(c, left, i)
		if err != nil {
			return err
		}
		n, err := CountOf[int32](st)
		buf := make([]int32, n)
		got, recvErr := Recv(c, buf, st.Source, st.Tag)
		if err := first(err, recvErr, want("source", st.Source, left), want("tag", st.Tag, i),
			want("bytes", st.Bytes, uint64(4*lengths[i])), want("count", got.Count, lengths[i]),
			checkNumbers(buf, i)); err != nil {
			return err
		}
	}
	return drain(sends)
}

// matchedProbe: what Mprobe has set aside is not received by anybody else, and later
// messages are.
func matchedProbe(c *Comm) error {
	left, right := ring(c)
	for _, n := range []int{1, 3000, 50_000} {
		a, err1 := Isend(c, numbers(n, 1), right, 5)
		b, err2 := Isend(c, numbers(n, 2), right, 5)
		m, st, err3 := Mprobe(c, AnySource, 5)
		if err := first(err1, err2, err3, want("source", st.Source, left)); err != nil {
			return err
		}
		buf := make([]int32, n)
		_, err := Recv(c, buf, left, AnyTag)
		if err := first(err, checkNumbers(buf, 2)); err != nil {
			return fmt.Errorf("second message first: %w", err)
		}
		again := m
		st, err = Mrecv(&m, buf)
		if err := first(err, checkNumbers(buf, 1), want("count", st.Count, n)); err != nil {
			return err
		}
		_, err = Mrecv(&m, buf)
		_, copyErr := Mrecv(&again, buf)
		if err := first(wantIs("second Mrecv", err, ErrNoMessage),
			wantIs("Mrecv of a copy", copyErr, ErrNoMessage), drain([]Request{a, b})); err != nil {
			return err
		}
	}
	_, _, ok, err := Improbe(c, AnySource, AnyTag)
	return first(err, want("Improbe finds something", ok, false))
}

// cancelReceives: a cancelled receive takes no message, one that has its message is
// not cancelled, a send cannot be.
func cancelReceives(c *Comm) error {
	left, right := ring(c)
	old := numbers(2, 9)
	cancelled, err1 := Irecv(c, old, left, 6)
	wild, err2 := Irecv(c, old, AnySource, AnyTag)
	err3, err4 := cancelled.Cancel(), wild.Cancel()
	st, err5 := cancelled.Wait()
	wildSt, err6 := wild.Wait()
	// What is sent below must not come before the neighbour has cancelled.
	if err := first(err1, err2, err3, err4, err5, err6, want("cancelled", st.Cancelled, true),
		want("cancelled", wildSt.Cancelled, true), c.Barrier()); err != nil {
		return err
	}
	for _, n := range []int{2, 20_000} {
		buf := make([]int32, n)
		r, err := Irecv(c, buf, left, 6)
		sendErr := Ssend(c, numbers(n, 1), right, 6)
		if err := first(err, sendErr); err != nil {
			return err
		}
		for {
			if st, done, err := r.Test(); done {
				if err := first(err, want("cancelled", st.Cancelled, false), checkNumbers(buf, 1)); err != nil {
					return err
				}
				break
			}
		}
		if err := r.Cancel(); err != nil {
			return fmt.Errorf("cancel of none: %w", err)
		}
	}
	s, err := Isend(c, old, right, 7)
	cancelErr := s.Cancel()
	_, recvErr := Recv(c, make([]int32, 2), left, 7)
	_, waitErr := s.Wait()
	return first(err, recvErr, waitErr, wantIs("cancel of a send", cancelErr, ErrCancelSend), checkNumbers(old, 9))
}

func sendToSelf(c *Comm) error {
	me := c.Rank()
	for _, n := range lengths {
		buf := make([]int32, n)
		posted, err1 := Irecv(c, buf, me, 3)
		err2 := Ssend(c, numbers(n, 3), me, 3)
		_, err3 := posted.Wait()
		if err := first(err1, err2, err3, checkNumbers(buf, 3)); err != nil {
			return fmt.Errorf("receive first, %d: %w", n, err)
		}
		sync, err1 := Issend(c, numbers(n, 4), me, 3)
		later, err2 := Isend(c, numbers(n, 5), me, 3)
		_, done, err3 := sync.Test()
		st, err4 := Probe(c, AnySource, AnyTag)
		got, err5 := Recv(c, buf, AnySource, 3)
		if err := first(err1, err2, err3, err4, err5, want("synchronous send done", done, false),
			want("source", st.Source, me), want("count", got.Count, n), checkNumbers(buf, 4)); err != nil {
			return fmt.Errorf("send first, %d: %w", n, err)
		}
		_, err1 = Recv(c, buf, me, 3)
		if err := first(err1, checkNumbers(buf, 5), drain([]Request{sync, later})); err != nil {
			return err
		}
	}
	return nil
}

func hugeSsend(c *Comm) error {
	const n = 1_200_000 // 4.8 MB
	left, right := ring(c)
	out, in := numbers(n, c.Rank()), make([]int32, n)
	s, err1 := Issend(c, out, right, 0)
	st, err2 := Recv(c, in, left, 0)
	_, err3 := s.Wait()
	return first(err1, err2, err3, want("count", st.Count, n), checkNumbers(in, left), checkNumbers(out, c.Rank()))
}

// ssendWaits: a synchronous send is not over before the receive has begun, however
// short it is.
func ssendWaits(c *Comm) error {
	left, right := ring(c)
	for _, n := range []int{0, 1, 2000} {
		s, err := Issend(c, numbers(n, 0), right, 1)
		if err != nil {
			return err
		}
		for range 200 {
			if _, done, err := s.Test(); done || err != nil {
				return fmt.Errorf("over before the receive: %v, %v", done, err)
			}
		}
		goOn, err1 := Isend(c, []byte{1}, right, 2)
		_, err2 := Recv(c, make([]byte, 1), left, 2)
		_, err3 := Recv(c, make([]int32, n), left, 1)
		if err := first(err1, err2, err3, drain([]Request{s, goOn})); err != nil {
			return err
		}
	}
	return nil
}

// wildcards: every combination, with messages there before and after.
func wildcards(c *Comm) error {
	left, right := ring(c)
	for _, early := range []bool{true, false} {
		for _, k := range []struct{ src, tag int }{{left, 8}, {left, AnyTag}, {AnySource, 8}, {AnySource, AnyTag}} {
			buf := make([]int32, 10)
			var r, s Request
			var errs [5]error
			if early {
				s, errs[0] = Isend(c, numbers(10, 7), right, 8)
				_, errs[1] = Probe(c, left, 8)
				r, errs[2] = Irecv(c, buf, k.src, k.tag)
			} else {
				r, errs[2] = Irecv(c, buf, k.src, k.tag)
				s, errs[0] = Isend(c, numbers(10, 7), right, 8)
			}
			st, err := r.Wait()
			_, errs[3] = s.Wait()
			errs[4] = c.Barrier() // nobody sends for the next before all have this
			if err := first(append(errs[:], err, want("source", st.Source, left), want("tag", st.Tag, 8),
				want("count", st.Count, 10), checkNumbers(buf, 7))...); err != nil {
				return err
			}
		}
	}
	return nil
}

func zeroSize(c *Comm) error {
	left, right := ring(c)
	for _, buf := range [][]float64{nil, {}, make([]float64, 0, 10)} {
		s, err1 := Isend(c, buf, right, 0)
		y, err2 := Issend(c, buf, right, 0)
		one, err3 := Recv(c, buf, left, 0)
		two, err4 := Recv(c, make([]float64, 4), left, AnyTag)
		if err := first(err1, err2, err3, err4, want("count", one.Count, 0), want("count", two.Count, 0),
			want("source", two.Source, left), drain([]Request{s, y})); err != nil {
			return err
		}
	}
	return nil
}

func truncation(c *Comm) error {
	left, right := ring(c)
	for _, n := range []int{2, 12, 900, 5000, 200_000} {
		s, err1 := Isend(c, numbers(n, 1), right, 0)
		next, err2 := Isend(c, numbers(3, 2), right, 0)
		buf := make([]int32, n)
		buf[n-1] = 77
		st, err := Recv(c, buf[:n-1], left, 0)
		short, ok := errors.AsType[*TruncateError](err)
		if !ok {
			return fmt.Errorf("%d elements for %d: %v", n, n-1, err)
		}
		if err := first(err1, err2, want("length", short.Length, uint64(4*n)),
			want("buffer", short.Buffer, uint64(4*n-4)), want("count", st.Count, n-1),
			checkNumbers(buf[:n-1], 1), want("element behind the buffer", buf[n-1], 77),
			wantContains(err,
				fmt.Sprintf("message of %d elements (%d bytes) is truncated: the buffer has %d (%d bytes)", n, 4*n,
					n-1, 4*n-4))); err != nil {
			return err
		}
		second, err3 := Irecv(c, buf[:2], left, 0)
		_, err = second.Wait()
		if err := first(err3,
			wantContains(err,
				"message of 3 elements (12 bytes) is truncated: the buffer has 2 (8 bytes)")); err != nil {
			return err
		}
		if err := drain([]Request{s, next}); err != nil {
			return err
		}
	}
	return nil
}

// waitAnyAndSome: the neighbour sends in an order of its own.
func waitAnyAndSome(c *Comm) error {
	const n = 40
	left, right := ring(c)
	for round := range 2 {
		bufs := make([][]int32, n)
		recvs := make([]Request, n+2) // the last stand for none
		for i := range n {
			bufs[i] = make([]int32, 50*i)
			r, err := Irecv(c, bufs[i], left, i)
			if err != nil {
				return err
			}
			recvs[i] = r
		}
		var sends []Request
		for _, i := range rand.Perm(n) {
			s, err := Isend(c, numbers(50*i, i), right, i)
			if err != nil {
				return err
			}
			sends = append(sends, s)
		}
		var seen []int
		for len(seen) < n {
			before := len(seen)
			var sts []Status
			var err error
			if round == 0 {
				var i int
				var st Status
				i, st, err = WaitAny(recvs)
				seen, sts = append(seen, i), append(sts, st)
			} else {
				seen, sts, err = WaitSome(recvs, seen, nil)
			}
			if err != nil {
				return err
			}
			for k, i := range seen[before:] {
				if err := first(want("tag", sts[k].Tag, i), checkNumbers(bufs[i], i)); err != nil {
					return err
				}
			}
		}
		slices.Sort(seen)
		i, _, err := WaitAny(recvs)
		none, _, someErr := WaitSome(recvs, nil, nil)
		if err := first(err, someErr, want("index", i, Undefined), want("indices", len(none), 0),
			want("different ones", len(slices.Compact(seen)), n), drain(sends)); err != nil {
			return err
		}
	}
	return nil
}

func testAll(c *Comm) error {
	left, right := ring(c)
	bufs := [3][]int32{make([]int32, 1), make([]int32, 1500), make([]int32, 30_000)}
	reqs := make([]Request, 7)
	for i, buf := range bufs {
		var err error
		if reqs[i], err = Irecv(c, buf, left, i); err != nil {
			return err
		}
	}
	if done, err := TestAll(reqs, nil); done || err != nil {
		return fmt.Errorf("done before anything was sent: %v, %v", done, err)
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	for i, buf := range bufs {
		var err error
		if reqs[3+i], err = Isend(c, numbers(len(buf), i), right, i); err != nil {
			return err
		}
	}
	sts := make([]Status, len(reqs))
	for {
		done, err := TestAll(reqs, sts)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	for i, buf := range bufs {
		if err := first(checkNumbers(buf, i), want("count", sts[i].Count, len(buf))); err != nil {
			return err
		}
	}
	_, err := TestAll(reqs, sts[:2])
	return wantContains(err, "2 statuses for 7 requests")
}
