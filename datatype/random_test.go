package datatype

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// source gives the choices of which a random type is made: random numbers or the bytes of a
// fuzzer.
type source interface{ IntN(n int) int }

// script takes its choices from bytes, and zeros when they are used up.
type script struct{ bytes []byte }

func (s *script) IntN(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

var _ source = (*rand.Rand)(nil)

const maxTestBytes = 6000 // of a random type

// randomType makes a type nested up to depth constructors deep. All its levels are small
// enough for the model.
func randomType(s source, depth int) *Type {
	t := basicTypes[s.IntN(len(basicTypes))]
	for range s.IntN(depth + 1) {
		next, err := randomLevel(s, t)
		if err != nil || next.Size() > maxTestBytes || next.span > 64*maxTestBytes ||
			len(modelOf(next).bytes) > maxTestBytes {
			continue
		}
		t = next
	}
	return t
}

var basicTypes = []*Type{Byte, Int16, Int32, Float64, Complex128, Float64Int32, Int16Int32}

func numbers(s source, n, lo, hi int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = number(s, lo, hi)
	}
	return all
}

func number(s source, lo, hi int) int64 { return int64(lo + s.IntN(hi-lo+1)) }

func order(s source) Order { return Order(s.IntN(2)) }

// apart lists displacements of blocks that do not overlap, in some order.
func apart(s source, lengths []int64, unit int64) []int64 {
	all := make([]int64, len(lengths))
	at := number(s, -4, 4) * unit
	gaps := s.IntN(2)
	for i, n := range lengths {
		all[i] = at
		at += n*unit + int64(gaps)*number(s, 0, 3)*unit
	}
	if s.IntN(4) == 0 {
		for i := range all {
			all[i] = -all[i]
		}
	}
	return all
}

func randomLevel(s source, t *Type) (*Type, error) {
	_, extent := t.Extent()
	switch s.IntN(14) {
	case 0:
		return Contiguous(number(s, 0, 5), t)
	case 1:
		return Vector(number(s, 0, 5), number(s, 0, 3), number(s, -5, 5), t)
	case 2:
		return Vector(number(s, 1, 20), number(s, 1, 2), number(s, 2, 5), t)
	case 3:
		return Hvector(number(s, 0, 5), number(s, 0, 3), number(s, -60, 60), t)
	case 4:
		lengths := numbers(s, s.IntN(8), 0, 3)
		return Indexed(lengths, apart(s, lengths, 1), t)
	case 5:
		lengths := numbers(s, s.IntN(8), 0, 3)
		return Hindexed(lengths, apart(s, lengths, extent), t)
	case 6:
		return IndexedBlock(number(s, 0, 2), numbers(s, s.IntN(6), -20, 20), t)
	case 7:
		return HindexedBlock(number(s, 0, 2), numbers(s, s.IntN(6), -200, 200), t)
	case 8, 9:
		return randomStruct(s, t)
	case 10:
		dims := 1 + s.IntN(3)
		sizes, subsizes, starts := numbers(s, dims, 1, 6), make([]int64, dims), make([]int64, dims)
		for d, size := range sizes {
			subsizes[d] = number(s, 1, int(size))
			starts[d] = number(s, 0, int(size-subsizes[d]))
		}
		return Subarray(sizes, subsizes, starts, order(s), t)
	case 11:
		return randomDarray(s, t)
	case 12:
		lb, extent := t.Extent()
		return Resized(t, lb+number(s, -9, 9), extent+number(s, -3, 30))
	}
	return Dup(t)
}

func randomStruct(s source, t *Type) (*Type, error) {
	n := 1 + s.IntN(5)
	lengths, displacements, types := numbers(s, n, 0, 3), make([]int64, n), make([]*Type, n)
	at := number(s, -50, 50)
	for i := range types {
		types[i] = t
		if s.IntN(3) > 0 {
			types[i] = basicTypes[s.IntN(len(basicTypes))]
		}
		lb, extent := types[i].Extent()
		displacements[i] = at - lb
		at += lengths[i]*extent + number(s, 0, 9)
	}
	return Struct(lengths, displacements, types)
}

func randomDarray(s source, t *Type) (*Type, error) {
	dims := make([]Dimension, 1+s.IntN(2))
	size := int64(1)
	for i, processes := range numbers(s, len(dims), 1, 3) {
		d := &dims[i]
		*d = Dimension{How: Distribution(s.IntN(3)), Block: DistributeDefault, Processes: processes}
		switch d.How {
		case DistributeNone:
			d.Processes = 1
		case DistributeCyclic:
			d.Block = number(s, 1, 3)
		}
		size *= d.Processes
	}
	rank := int64(s.IntN(int(size)))
	for i, n := range numbers(s, len(dims), 1, 9) {
		dims[i].Size = n
	}
	return Darray(size, rank, dims, order(s), t)
}

// checkType compares a type with the model of it.
func checkType(t testing.TB, dt *Type) model {
	m := modelOf(dt)
	require.EqualValues(t, len(m.bytes), dt.Size(), "size of %v", dt)
	lb, ub := m.bounds()
	gotLB, gotExtent := dt.Extent()
	require.Equal(t, lb, gotLB, "lb of %v", dt)
	require.Equal(t, ub-lb, gotExtent, "extent of %v", dt)
	require.EqualValues(t, len(m.lengths), dt.Signature().Elements, "elements of %v", dt)
	checkNormal(t, dt.body.data)
	return m
}

// checkNormal checks the invariants of piece.go.
func checkNormal(t testing.TB, p piece) {
	n := p.node
	if n == nil {
		return
	}
	require.Equal(t, p.size, n.size)
	if n.isLoop() {
		require.GreaterOrEqual(t, n.count, int64(2))
		require.Zero(t, n.inner.disp)
		require.Equal(t, n.size, n.count*n.inner.size)
		require.False(t, n.inner.isRun() && n.inner.size == n.stride, "a loop without gaps")
		if in := n.inner.node; in != nil && in.isLoop() {
			require.NotEqual(t, n.stride, in.count*in.stride, "a loop of loops that are one")
		}
		checkNormal(t, n.inner)
		return
	}
	require.GreaterOrEqual(t, len(n.entries), 2)
	require.Zero(t, n.entries[0].disp)
	for i, e := range n.entries {
		require.NotZero(t, e.size)
		if i > 0 && e.isRun() && n.entries[i-1].isRun() {
			require.NotEqual(t, n.entries[i-1].disp+n.entries[i-1].size, e.disp, "runs that touch")
		}
		checkNormal(t, e)
	}
}
