package mpi

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

func sendrecvRing(c *Comm) error {
	left, right := ring(c)
	for _, n := range lengths {
		in := make([]float32, n)
		st, err := Sendrecv(c, numbers(n, c.Rank()), right, 1, in, left, 1)
		if err := first(err, want("count", st.Count, n), want("source", st.Source, left)); err != nil {
			return err
		}
		buf := numbers(n, c.Rank())
		for step := 1; step <= c.Size(); step++ {
			_, err := SendrecvReplace(c, buf, right, 2, left, 2)
			if err := first(err, checkNumbers(buf, (c.Rank()-step+c.Size())%c.Size())); err != nil {
				return err
			}
		}
	}
	return nil
}

// nonOvertaking: messages of one tag, of all lengths and modes, arrive in order.
func nonOvertaking(c *Comm) error {
	const n = 120
	left, right := ring(c)
	rng := rand.New(rand.NewPCG(1, uint64(right))) // the receiver knows the lengths
	theirs := rand.New(rand.NewPCG(1, uint64(c.Rank())))
	var reqs []Request
	for i := range n {
		out := numbers(lengths[rng.IntN(len(lengths))], i)
		send := Isend[int32]
		if rng.IntN(2) == 0 {
			send = Issend[int32]
		}
		s, err := send(c, out, right, 0)
		if err != nil {
			return err
		}
		reqs = append(reqs, s)
	}
	bufs := make([][]int32, n)
	sts := make([]Status, 2*n)
	for i := range bufs {
		bufs[i] = make([]int32, 100_000)
		tag := 0
		if i%2 == 0 {
			tag = AnyTag
		}
		r, err := Irecv(c, bufs[i], left, tag)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	if err := WaitAll(reqs, sts); err != nil {
		return err
	}
	for i, buf := range bufs {
		m := lengths[theirs.IntN(len(lengths))]
		theirs.IntN(2)
		if err := first(want("count", sts[n+i].Count, m), checkNumbers(buf[:m], i)); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

func procNull(c *Comm) error {
	buf := numbers(3, 1)
	s, err1 := Isend(c, buf, ProcNull, 1)
	r, err2 := Irecv(c, buf, ProcNull, 1)
	_, err3 := s.Wait()
	st, err4 := r.Wait()
	err5 := Ssend(c, buf, ProcNull, -5)
	rst, err6 := Recv(c, buf, ProcNull, AnyTag)
	pst, err7 := Probe(c, ProcNull, 1)
	m, _, err8 := Mprobe(c, ProcNull, 1)
	mst, err9 := Mrecv(&m, buf)
	_, err := Sendrecv(c, buf, ProcNull, 0, buf, ProcNull, 0)
	for _, st := range []Status{st, rst, pst, mst} {
		if err := first(want("source", st.Source, ProcNull), want("tag", st.Tag, AnyTag),
			want("count", st.Count, 0)); err != nil {
			return err
		}
	}
	return first(err1, err2, err3, err4, err5, err6, err7, err8, err9, err, checkNumbers(buf, 1))
}

func unknownLength(c *Comm) error {
	left, right := ring(c)
	for i, n := range lengths {
		s, err1 := Isend(c, numbers(n, i), right, i)
		got, st, err2 := RecvAlloc[int32](c, left, AnyTag)
		if err := first(err1, err2, want("length", len(got), n), want("tag", st.Tag, i),
			checkNumbers(got, i), drain([]Request{s})); err != nil {
			return err
		}
	}
	for _, n := range []int{7, 90_001} {
		s, err := Isend(c, make([]byte, n), right, 0)
		_, st, got := RecvAlloc[int64](c, left, 0)
		bad, ok := errors.AsType[*CountError](got)
		if !ok {
			return fmt.Errorf("%d bytes as int64: %v", n, got)
		}
		if err := first(err, want("bytes", bad.Bytes, uint64(n)), want("count", st.Count, Undefined),
			drain([]Request{s})); err != nil {
			return err
		}
	}
	return nil
}

func badArguments(c *Comm) error {
	buf := make([]byte, 1)
	for _, rank := range []int{-1, -3, c.Size(), math.MaxInt, math.MinInt, math.MaxInt32 + 1} {
		errs := []error{Send(c, buf, rank, 0), Ssend(c, buf, rank, 0)}
		_, err := Isend(c, buf, rank, 0)
		errs = append(errs, err)
		_, err = SendInit(c, buf, rank, 0)
		errs = append(errs, err)
		if rank != AnySource {
			_, err = Recv(c, buf, rank, 0)
			errs = append(errs, err)
			_, _, err = Iprobe(c, rank, 0)
			errs = append(errs, err)
		}
		for i, err := range errs {
			bad, ok := errors.AsType[*RankError](err)
			if !ok || bad.Rank != rank {
				return fmt.Errorf("call %d with rank %d: %v", i, rank, err)
			}
		}
	}
	for _, tag := range []int{-1, -2, -4, math.MaxInt32 + 1, math.MinInt} {
		_, err := Irecv(c, buf, 0, tag)
		_, _, _, probeErr := Improbe(c, 0, tag)
		errs := []error{Send(c, buf, 0, tag), err, probeErr}
		for i, err := range errs {
			bad, ok := errors.AsType[*TagError](err)
			if !ok || bad.Tag != tag {
				return fmt.Errorf("call %d with tag %d: %v", i, tag, err)
			}
		}
	}
	_, err := Recv(c, buf, AnyTag, AnySource)
	_, _, _, probeErr := Improbe(c, 0, AnySource)
	if err := first(wantContains(err,
		"recv from AnyTag as source (which comes before the tag), AnySource as tag: rank -3 is outside"),
		wantContains(probeErr, "AnySource as tag: tag -1 is outside")); err != nil {
		return err
	}
	return wantContains(Send(c, buf, c.Size(), 3),
		fmt.Sprintf("mpi: send to rank %d, tag 3: rank %d is outside", c.Size(), c.Size()))
}

func elementTypes(c *Comm) error {
	type point struct {
		X, Y float64
		ID   [3]int16
	}
	left, right := ring(c)
	in := make([]point, 3)
	out := []point{{1, 2, [3]int16{3}}, {}, {X: math.Inf(1)}}
	st, err := Sendrecv(c, out, right, 0, in, left, 0)
	if err := first(err, want("count", st.Count, 3), want("point", in[0], out[0]),
		want("point", in[2], out[2])); err != nil {
		return err
	}
	type named struct {
		A int
		B [2]struct{ Name string }
	}
	for _, k := range []struct {
		err  error
		want string
	}{
		{Send(c, []string{"x"}, right, 0), "elements of type string cannot be sent: it holds a pointer (string)"},
		{Send(c, []named{{}}, right, 0),
			"elements of type mpi.named cannot be sent: field B[].Name holds a pointer (string)"},
		{Send(c, []*int{nil}, right, 0), "elements of type *int cannot be sent: it holds a pointer (ptr)"},
		{Send(c, [][]int{{}}, right, 0), "(slice)"},
		{Send(c, []any{1}, right, 0), "(interface)"},
		{Send(c, []struct{}{{}}, right, 0), "has no size"},
	} {
		if _, ok := errors.AsType[*TypeError](k.err); !ok {
			return fmt.Errorf("%v is no TypeError", k.err)
		}
		if err := wantContains(k.err, k.want); err != nil {
			return err
		}
	}
	return nil
}
