package mpi

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/test/testkit"
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
	if testkit.Race {
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
		require.Equal(t, len(seen) < len(at), v.overlaps)
		pieces[v.layout == nil]++
		if v.layout == nil && len(at) > 0 {
			require.Equal(t, want, v.base)
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
		{Vector(base, 3, 4, 9),
			"vector of 3 blocks of 4 elements, 9 apart: it reaches from element 0 to element 21, the slice has 20"},
		{Vector(base, -1, 1, 1), "a count is negative: -1"},
		{Vector(base, 1, -1, 1), "negative: -1"},
		{Vector(base, 2, 1, -1), "from element -1 to element 0, "},
		{Vector(base, 1, 21, 0), "to element 20, the slice has 20"},
		{Vector(base, math.MaxInt, 1, math.MaxInt), "does not fit into 64 bits"},
		{Vector(base, 3, 2, math.MaxInt/2), "does not fit"},
		{Indexed(base, []int{1}, nil),
			"indexed view of 1 blocks: an argument is out of range: 1 blocklengths, but 0 displacements"},
		{Indexed(base, []int{1, 2}, []int{0, 19}), "to element 20, the slice has 20"},
		{Indexed(base, []int{math.MaxInt}, []int{1}), "does not fit"},
		{Indexed(base, []int{1}, []int{-1}), "from element -1"},
		{Indexed(base, []int{-1}, []int{1}), "negative"},
		{Strided(base, nil, nil), "at least one"},
		{Strided(base, []int{1}, []int{1, 2}), "as many lengths"},
		{Strided(base, []int{2, 3}, []int{1, -1}), "of dimension 1 is negative"},
		{Strided(base, []int{2, 3}, []int{10, 5}),
			"view of [2 3] elements, [10 5] apart: it reaches from element 0 to element 20, the slice has 20"},
		{Strided(base, []int{math.MaxInt, math.MaxInt}, []int{math.MaxInt, 1}), "does not fit"},
		{Strided(base, []int{2, 2}, []int{math.MaxInt, math.MaxInt}), "too large"},
		{Strided(base, []int{math.MaxInt, 2}, []int{0, 1}), "does not fit"},
		{Vector(base, math.MaxInt, 2, 0), "does not fit"},
		{Strided(base[:0], []int{1}, []int{0}), "the slice has 0"},
		{Subarray(base, nil, nil, nil), "0 sizes"},
		{Subarray(base, []int{4, 5}, []int{4}, []int{0, 0}), "2 sizes, 1 subsizes"},
		{Subarray(base, []int{4, 5}, []int{4, 2}, []int{0, 4}),
			"subarray [4 2] at [0 4] of an array [4 5]: an argument is out of range: dimension 1 has size 5, " +
				"subsize 2 and start 4"},
		{Subarray(base, []int{4, 5}, []int{-1, 2}, []int{0, 0}), "dimension 0 has size 4, subsize -1"},
		{Subarray(base, []int{3, 7}, []int{1, 1}, []int{0, 0}), "the slice has 20 elements only"},
		{Subarray(base, []int{math.MaxInt, math.MaxInt}, []int{1, 1}, []int{0, 0}), "does not fit"},
	} {
		require.ErrorContains(t, k.view.Err(), k.want)
		_, ok := errors.AsType[*ViewError](k.view.Err())
		require.True(t, ok)
		require.Zero(t, k.view.Len())
	}
	for _, fits := range []View[int]{
		{}, Subarray(base, []int{1 << 60, 0, 1}, []int{1 << 60, 0, 1}, []int{0, 0, 0}), Vector(base, 20, 1, 1),
		Vector(base, 0, 5, 100), Vector(base, 5, 0, 100), Vector(base, 4, 5, 5),
		Subarray(base, []int{0, math.MaxInt, 3}, []int{0, 0, 0}, []int{0, 5, 3}), Indexed(base, []int{0}, []int{-7}),
		Strided(base, []int{2, 3}, []int{9, 5}), Strided(base, []int{0, 99}, []int{9, 5}),
		Strided(base, []int{1}, []int{math.MaxInt / 8}),
	} {
		require.NoError(t, fits.Err())
	}
	require.True(t, Strided(base, []int{1 << 12, 1 << 12}, []int{0, 0}).overlaps)
	for _, one := range []View[int]{
		Vector(base, 4, 5, 5), Indexed(base, []int{2, 3, 1}, []int{4, 6, 9}),
		Subarray(base, []int{5, 2, 2}, []int{2, 2, 2}, []int{1, 0, 0}),
	} {
		require.Nil(t, one.layout, "what lies in one piece is one")
	}
}

// gather and scatter copy the elements of a view to and from a slice.
func (v *View[T]) gather(to []T) {
	b, of, _ := v.outgoing()
	b.Pack(bytesOf(to, of.Size()), 0)
}

func (v *View[T]) scatter(from []T) {
	b, of, _ := v.outgoing()
	b.Unpack(bytesOf(from, of.Size()), 0)
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
			return first(err, eq("column", got, sent), untouched, want("count", st.Count, n),
				want("source", st.Source, left))
		}
		st, err := column.Sendrecv(c, right, 1, part, left, 1)
		if err := check(err, st); err != nil {
			return err
		}
		r, err := part.Irecv(c, left, 2)
		s, sendErr := column.Isend(c, right, 2)
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
		s, err = column.Isend(c, right, 3)
		plain := make([]int32, n)
		st, recvErr := Recv(c, plain, left, 3)
		if err := first(err, recvErr, drain([]Request{s}), eq("plain", plain, sent),
			want("count", st.Count, n)); err != nil {
			return err
		}
		q, err := Isend(c, numbers(n, 5), right, 4)
		st, recvErr = part.Recv(c, left, 4)
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
			st, recvErr := view.Recv(c, left, 0)
			got := make([]int32, n)
			view.gather(got)
			m := min(n, n+more)
			if err := first(err, drain([]Request{s}), checkNumbers(got[:m], 1),
				want("count", st.Count, m)); err != nil {
				return err
			}
			if _, ok := errors.AsType[*TruncateError](recvErr); ok != (more > 0) {
				return fmt.Errorf("%d elements into a view of %d: %v", n+more, n, recvErr)
			}
		}
		r, err := view.Irecv(c, left, 1)
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
	_, isend := outside.Isend(c, 0, 0)
	_, irecv := outside.Irecv(c, 0, 0)
	_, recv := twice.Recv(c, 0, 0)
	_, sendrecv := Whole(buf).Sendrecv(c, 0, 0, twice, 0, 0)
	_, toNobody := Whole(buf).Recv(c, c.Size(), 0)
	var rank *RankError
	if !errors.As(toNobody, &rank) || rank.Rank != c.Size() {
		return fmt.Errorf("receive from rank %d: %v", c.Size(), toNobody)
	}
	for what, err := range map[string]error{
		"send": outside.Send(c, 0, 0), "isend": isend, "irecv": irecv, "recv": recv, "sendrecv": sendrecv,
		"alltoallw": Alltoallw(c, nil, upTo(c.Size(), func(int) View[int] { return twice })),
	} {
		if _, ok := errors.AsType[*ViewError](err); !ok {
			return fmt.Errorf("%s: %v is no ViewError", what, err)
		}
	}
	return first(wantContains(recv, "an element is there more than once"),
		wantContains(Whole([]*int{nil}).Send(c, 0, 0), "holds a pointer"),
		wantContains(Alltoallw(c, nil, make([]View[int], c.Size()+1)), "pass as many"),
		twice.Send(c, ProcNull, 0))
}

// alltoallw transposes matrices that are distributed by rows, in one step, and moves
// views of any kind.
// neighborAlltoallw exchanges the borders of the parts of a grid.
// TestViewsDoNotAllocate: a column is sent and received without a new buffer.
func TestViewsDoNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		m := make([]float64, 400)
		from, to := Vector(m, 20, 1, 20), Vector(m[1:], 20, 1, 20)
		var failed error
		n := testing.AllocsPerRun(1000, func() {
			err := from.Send(c, 0, 0)
			_, recvErr := to.Recv(c, 0, 0)
			failed = first(failed, err, recvErr)
		})
		require.Less(t, n, 0.1, "but for what the garbage collector takes from the pool")
		return failed
	})
}
