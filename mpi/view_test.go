package mpi

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl/mem"
	"github.com/gopvas/gopvas/internal/testkit"
)

// anyView draws a view of a slice, and the places of its elements, found the naive way.
func anyView(d *rand.Rand, base []uint32) (v View[uint32], at []int) {
	switch d.IntN(5) {
	case 0:
		for i := range base {
			at = append(at, i)
		}
		return Whole(base), at
	case 1:
		count, length, stride := d.IntN(8), d.IntN(5), d.IntN(9)
		for i := range count {
			for j := range length {
				at = append(at, i*stride+j)
			}
		}
		return Vector(base, count, length, stride), at
	case 2:
		var lengths, places []int
		for range d.IntN(8) {
			n := d.IntN(5)
			lengths, places = append(lengths, n), append(places, d.IntN(len(base)-n))
			for j := range n {
				at = append(at, places[len(places)-1]+j)
			}
		}
		return Indexed(base, lengths, places), at
	}
	at = []int{0}
	if d.IntN(2) == 0 {
		return anyStrided(d, base)
	}
	var sizes, subsizes, starts []int
	for range 1 + d.IntN(4) {
		n := 1 + d.IntN(4)
		sub := d.IntN(n + 1)
		start := d.IntN(n - sub + 1)
		sizes, subsizes, starts = append(sizes, n), append(subsizes, sub), append(starts, start)
		var finer []int
		for _, row := range at {
			for j := range sub {
				finer = append(finer, row*n+start+j)
			}
		}
		at = finer
	}
	return Subarray(base, sizes, subsizes, starts), at
}

func anyStrided(d *rand.Rand, base []uint32) (v View[uint32], at []int) {
	at = []int{0}
	var lengths, strides []int
	for range 1 + d.IntN(3) {
		n, stride := d.IntN(6), d.IntN(18)
		lengths, strides = append(lengths, n), append(strides, stride)
		var finer []int
		for _, start := range at {
			for j := range n {
				finer = append(finer, start+j*stride)
			}
		}
		at = finer
	}
	return Strided(base, lengths, strides), at
}

func TestViewsAgainstNaiveModel(t *testing.T) {
	d := testkit.Rand(t)
	pieces := map[bool]int{}
	rounds := 20_000
	if raceEnabled {
		rounds = 2000
	}
	for range rounds {
		base := make([]uint32, 300)
		for i := range base {
			base[i] = d.Uint32()
		}
		v, at := anyView(d, base)
		require.NoError(t, v.Err())
		require.Equal(t, len(at), v.Len())
		want := make([]uint32, len(at))
		seen := map[int]bool{}
		for i, k := range at {
			want[i] = base[k]
			seen[k] = true
		}
		got := make([]uint32, len(at))
		v.gather(got)
		require.Equal(t, want, got)
		require.Equal(t, len(seen) < len(at), v.overlaps, "%v", v.pieces)
		one, ok := v.contiguous()
		pieces[ok]++
		if ok && len(at) > 0 {
			require.Equal(t, want, one)
		}
		if v.overlaps {
			continue
		}
		n := d.IntN(len(at) + 1)
		changed := append([]uint32(nil), base...)
		for i, k := range at[:n] {
			got[i] = d.Uint32()
			changed[k] = got[i]
		}
		v.scatter(got[:n])
		require.Equal(t, changed, base)
	}
	require.Greater(t, min(pieces[true], pieces[false]), rounds/20)
}

func TestViewsThatDoNotFit(t *testing.T) {
	base := make([]int, 20)
	for _, k := range []struct {
		view View[int]
		want string
	}{
		{Vector(base, 3, 4, 9), "vector of 3 blocks of 4 elements, 9 apart: does not fit into a slice of 20"},
		{Vector(base, -1, 1, 1), "does not fit"},
		{Vector(base, 1, -1, 1), "does not fit"},
		{Vector(base, 2, 1, -1), "does not fit"},
		{Vector(base, 1, 21, 0), "does not fit"},
		{Vector(base, math.MaxInt, 1, math.MaxInt), "does not fit"},
		{Vector(base, 3, 2, math.MaxInt/2), "does not fit"},
		{Indexed(base, []int{1}, nil), "indexed view of 1 blocks: there are 0 places"},
		{Indexed(base, []int{1, 2}, []int{0, 19}), "block 1 has 2 elements from 19 on, the slice has 20"},
		{Indexed(base, []int{math.MaxInt}, []int{1}), "block 0 has"},
		{Indexed(base, []int{1}, []int{-1}), "block 0 has"},
		{Indexed(base, []int{-1}, []int{1}), "block 0 has"},
		{Strided(base, nil, nil), "at least one"},
		{Strided(base, []int{1}, []int{1, 2}), "as many lengths"},
		{Strided(base, []int{2, 3}, []int{1, -1}), "dimension 1 is negative"},
		{Strided(base, []int{2, 3}, []int{10, 5}), "view of [2 3] elements, [10 5] apart: does not fit into a slice of 20"},
		{Strided(base, []int{math.MaxInt, math.MaxInt}, []int{math.MaxInt, 1}), "does not fit"},
		{Strided(base, []int{2, 2}, []int{math.MaxInt, math.MaxInt}), "does not fit"},
		{Strided(base, []int{math.MaxInt, 2}, []int{0, 1}), "does not fit"},
		{Vector(base, math.MaxInt, 2, 0), "does not fit"},
		{Strided(base[:0], []int{1}, []int{0}), "does not fit"},
		{Subarray(base, nil, nil, nil), "at least one"},
		{Subarray(base, []int{4, 5}, []int{4}, []int{0, 0}), "as many sizes"},
		{Subarray(base, []int{4, 5}, []int{4, 2}, []int{0, 4}), "subarray [4 2] at [0 4] of an array [4 5]: dimension 1 is outside of the array"},
		{Subarray(base, []int{4, 5}, []int{-1, 2}, []int{0, 0}), "dimension 0 is outside"},
		{Subarray(base, []int{3, 7}, []int{1, 1}, []int{0, 0}), "the slice has 20 elements only"},
		{Subarray(base, []int{math.MaxInt, math.MaxInt}, []int{1, 1}, []int{0, 0}), "the slice has 20 elements only"},
	} {
		require.ErrorContains(t, k.view.Err(), k.want)
		_, ok := errors.AsType[*ViewError](k.view.Err())
		require.True(t, ok)
		require.Zero(t, k.view.Len())
	}
	for _, fits := range []View[int]{
		{}, Subarray(base, []int{1 << 60, 0, 1}, []int{1 << 60, 0, 1}, []int{0, 0, 0}), Vector(base, 20, 1, 1), Vector(base, 0, 5, 100), Vector(base, 5, 0, 100), Vector(base, 4, 5, 5),
		Subarray(base, []int{0, math.MaxInt, 3}, []int{0, 0, 0}, []int{0, 5, 3}), Indexed(base, []int{0}, []int{-7}),
		Strided(base, []int{2, 3}, []int{9, 5}), Strided(base, []int{0, 99}, []int{9, 5}), Strided(base, []int{1}, []int{math.MaxInt}),
	} {
		require.NoError(t, fits.Err())
	}
	require.True(t, Strided(base, []int{1 << 12, 1 << 12}, []int{0, 0}).overlaps)
	require.Len(t, Vector(base, 4, 5, 5).pieces, 1, "what lies in one piece is one")
	require.Len(t, Indexed(base, []int{2, 3, 1}, []int{4, 6, 9}).pieces, 1)
	require.Len(t, Subarray(base, []int{5, 2, 2}, []int{2, 2, 2}, []int{1, 0, 0}).pieces, 1)
}

// messagesOfViews: columns of a matrix, of all lengths, to a part of another and to plain
// slices, in all forms there are.
func messagesOfViews(c *Comm) error {
	left, right := ring(c)
	for _, n := range []int{1, 7, 40, 600} {
		from, to := numbers(n*n, c.Rank()), make([]int32, (n+2)*(n+1))
		theirs := numbers(n*n, left)
		column := Vector(from[n/2:], n, 1, n)
		sent := upTo(n, func(i int) int32 { return theirs[n/2+i*n] })
		part := Subarray(to, []int{n + 2, n + 1}, []int{n, 1}, []int{1, n})
		check := func(err error, st Status) error {
			got := make([]int32, n)
			part.gather(got)
			part.scatter(make([]int32, n))
			untouched := eq("other elements", to, make([]int32, len(to)))
			return first(err, eq("column", got, sent), untouched, want("count", st.Count, n), want("source", st.Source, left))
		}
		st, err := SendrecvView(c, column, right, 1, part, left, 1)
		if err := check(err, st); err != nil {
			return err
		}
		r, err := IrecvView(c, part, left, 2)
		s, sendErr := IsendView(c, column, right, 2)
		if err := first(err, sendErr); err != nil {
			return err
		}
		st, err = r.Wait()
		_, sendErr = s.Wait()
		again, againErr := r.Wait()
		if err := first(check(err, st), sendErr, againErr, want("count", again.Count, 0)); err != nil {
			return err
		}
		// Plain on one side.
		s, err = IsendView(c, column, right, 3)
		plain := make([]int32, n)
		st, recvErr := Recv(c, plain, left, 3)
		if err := first(err, recvErr, drain([]Request{s}), eq("plain", plain, sent), want("count", st.Count, n)); err != nil {
			return err
		}
		q, err := Isend(c, numbers(n, 5), right, 4)
		st, recvErr = RecvView(c, part, left, 4)
		sent = numbers(n, 5)
		if err := first(err, check(recvErr, st), drain([]Request{q})); err != nil {
			return err
		}
	}
	return shortAndLong(c)
}

// shortAndLong: messages that are not as long as the view.
func shortAndLong(c *Comm) error {
	left, right := ring(c)
	for _, n := range []int{3, 5000} {
		buf := make([]int32, 4*n)
		view := Vector(buf, n, 1, 4)
		for _, more := range []int{-1, 1} {
			s, err := Isend(c, numbers(n+more, 1), right, 0)
			st, recvErr := RecvView(c, view, left, 0)
			got := make([]int32, n)
			view.gather(got)
			m := min(n, n+more)
			if err := first(err, drain([]Request{s}), checkNumbers(got[:m], 1), want("count", st.Count, m)); err != nil {
				return err
			}
			if _, ok := errors.AsType[*TruncateError](recvErr); ok != (more > 0) {
				return fmt.Errorf("%d elements into a view of %d: %v", n+more, n, recvErr)
			}
		}
		r, err := IrecvView(c, view, left, 1)
		if err != nil {
			return err
		}
		_, early, err := r.Test()
		s, sendErr := Issend(c, []int32{77}, right, 1)
		if err := first(err, sendErr); err != nil {
			return err
		}
		for done := early; !done; {
			if _, done, err = r.Test(); err != nil {
				return err
			}
		}
		if err := first(drain([]Request{s}), want("element", buf[0], 77)); err != nil {
			return err
		}
	}
	return nil
}

func wrongViews(c *Comm) error {
	buf := make([]int, 10)
	outside, twice := Vector(buf, 3, 1, 5), Indexed(buf, []int{2, 2}, []int{4, 5})
	_, isend := IsendView(c, outside, 0, 0)
	_, irecv := IrecvView(c, outside, 0, 0)
	_, recv := RecvView(c, twice, 0, 0)
	_, sendrecv := SendrecvView(c, Whole(buf), 0, 0, twice, 0, 0)
	_, toNobody := RecvView(c, Whole(buf), c.Size(), 0)
	var rank *RankError
	if !errors.As(toNobody, &rank) || rank.Rank != c.Size() {
		return fmt.Errorf("receive from rank %d: %v", c.Size(), toNobody)
	}
	for what, err := range map[string]error{
		"send": SendView(c, outside, 0, 0), "isend": isend, "irecv": irecv, "recv": recv, "sendrecv": sendrecv,
		"alltoallw": Alltoallw(c, nil, upTo(c.Size(), func(int) View[int] { return twice })),
	} {
		if _, ok := errors.AsType[*ViewError](err); !ok {
			return fmt.Errorf("%s: %v is no ViewError", what, err)
		}
	}
	return first(wantContains(recv, "an element is there more than once"),
		wantContains(SendView(c, Whole([]*int{nil}), 0, 0), "holds a pointer"),
		wantContains(Alltoallw(c, nil, make([]View[int], c.Size()+1)), "pass as many"),
		SendView(c, twice, ProcNull, 0))
}

// alltoallw transposes matrices that are distributed by rows, in one step, and moves
// views of any kind.
// neighborAlltoallw exchanges the borders of the parts of a grid.
// TestViewsDoNotAllocate: a column is sent and received without a new buffer.
func TestViewsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		m := make([]float64, 400)
		from, to := Vector(m, 20, 1, 20), Vector(m[1:], 20, 1, 20)
		var failed error
		n := testing.AllocsPerRun(1000, func() {
			err := SendView(c, from, 0, 0)
			_, recvErr := RecvView(c, to, 0, 0)
			failed = first(failed, err, recvErr)
		})
		require.Less(t, n, 0.1, "but for what the garbage collector takes from the pool")
		return failed
	})
}
