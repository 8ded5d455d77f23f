package datatype

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// must returns the type of a constructor that is expected to succeed.
func must(t testing.TB) func(*Type, error) *Type {
	return func(dt *Type, err error) *Type {
		t.Helper()
		require.NoError(t, err)
		return dt
	}
}

// TestBounds has the rules of sections 5.1.6 to 5.1.8 as examples.
func TestBounds(t *testing.T) {
	ok := must(t)
	one := func(lengths, at []int64, types ...*Type) *Type { return ok(Struct(lengths, at, types)) }
	marked := ok(Resized(Int32, -3, 9))
	record := one([]int64{1, 3, 5}, []int64{0, 8, 32}, Int32, Float64, Byte)
	padded := one([]int64{1, 1}, []int64{0, 4}, Int32, Char)
	cases := []struct {
		name             string
		dt               *Type
		lb, extent       int64
		trueLB, trueSpan int64
	}{
		{"a double and a char are padded", one([]int64{1, 1}, []int64{0, 8}, Float64, Char), 0, 16, 0, 9},
		{"padding counts from the lower bound", one([]int64{1, 1}, []int64{4, 12}, Float64, Char), 4, 16, 4, 9},
		{"padding is inherited", one([]int64{1, 1}, []int64{3, 0}, padded, Int32), 0, 12, 0, 8},
		{"padding inside a larger part", one([]int64{1, 1}, []int64{0, 4}, padded, Float64), 0, 16, 0, 12},
		{"elements off their alignment", ok(Hvector(2, 3, 129, ok(Hvector(3, 2, 9, Int32)))), 0, 216, 0, 211},
		{"a pair off its alignment", ok(Hvector(2, 1, -9, Float64Int32)), -9, 32, -9, 21},
		{"a record, as the compiler lays it out", record, 0, int64(recordSize), 0, 37},
		{"two of a resized type", ok(Contiguous(2, marked)), -3, 18, 0, 13},
		{"set bounds stick", one([]int64{1, 1}, []int64{0, 40}, marked, Float64), -3, 9, 0, 48},
		{"set bounds of all parts count", one([]int64{1, 1}, []int64{0, 20}, marked, marked), -3, 29, 0, 24},
		{"resizing again forgets", ok(Resized(ok(Resized(Int32, 7, 1)), 0, 4)), 0, 4, 0, 4},
		{"a negative stride", ok(Vector(3, 1, -2, Float64)), -32, 40, -32, 40},
		{"nothing", ok(Contiguous(0, Float64)), 0, 0, 0, 0},
		{"nothing, resized", ok(Resized(ok(Contiguous(0, Float64)), 5, 6)), 5, 6, 0, 0},
		{"a part of an array", ok(Subarray([]int64{4, 5}, []int64{2, 3}, []int64{1, 1}, OrderC, Int32)), 0, 80, 24, 32},
		{"long double and int", Float128Int32, 0, 32, 0, 20},
		{"short and int", Int16Int32, 0, 8, 0, 8},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			lb, extent := c.dt.Extent()
			trueLB, span := c.dt.TrueExtent()
			require.Equal(t, []int64{c.lb, c.extent, c.trueLB, c.trueSpan}, []int64{lb, extent, trueLB, span})
			checkType(t, c.dt)
		})
	}
}

func TestErrors(t *testing.T) {
	one := []int64{1}
	huge, err := Contiguous(math.MaxInt64/8, Float64)
	require.NoError(t, err)
	cases := []struct {
		name string
		make func() (*Type, error)
		want error
	}{
		{"contiguous", func() (*Type, error) { return Contiguous(-1, Byte) }, ErrCount},
		{"vector", func() (*Type, error) { return Vector(1, -1, 1, Byte) }, ErrCount},
		{"hvector", func() (*Type, error) { return Hvector(-1, 1, 1, Byte) }, ErrCount},
		{"indexed", func() (*Type, error) { return Indexed([]int64{-1}, one, Byte) }, ErrCount},
		{"indexed block", func() (*Type, error) { return IndexedBlock(-1, one, Byte) }, ErrCount},
		{"struct", func() (*Type, error) { return Struct([]int64{-1}, one, []*Type{Byte}) }, ErrCount},
		{"nil", func() (*Type, error) { return Contiguous(1, nil) }, ErrType},
		{"nil in struct", func() (*Type, error) { return Struct(one, one, []*Type{nil}) }, ErrType},
		{"nil dup", func() (*Type, error) { return Dup(nil) }, ErrType},
		{"nil resized", func() (*Type, error) { return Resized(nil, 0, 1) }, ErrType},
		{"zero", func() (*Type, error) { return Contiguous(1, new(Type)) }, ErrType},
		{"zero pair", func() (*Type, error) { return Pair("p", new(Type), Byte) }, ErrType},
		{"nil pair", func() (*Type, error) { return Pair("p", nil, Byte) }, ErrType},
		{"slices", func() (*Type, error) { return Indexed(one, nil, Byte) }, ErrArgument},
		{"slices of struct", func() (*Type, error) { return Struct(one, one, nil) }, ErrArgument},
		{"basic", func() (*Type, error) { return Basic("x", KindByte, 4, 3) }, ErrArgument},
		{"too large", func() (*Type, error) { return Contiguous(math.MaxInt64/8+1, Float64) }, ErrOverflow},
		{"too large twice", func() (*Type, error) { return Vector(3, 1, 1, huge) }, ErrOverflow},
		{"too large together", func() (*Type, error) {
			return Struct([]int64{1, 1}, []int64{0, 0}, []*Type{huge, huge})
		}, ErrOverflow},
		{"too wide a stride", func() (*Type, error) { return Vector(3, 1, math.MaxInt64/8, Float64) }, ErrOverflow},
		{"too far apart", func() (*Type, error) { return Hindexed([]int64{1, 1}, []int64{math.MinInt64, 1}, Byte) },
			ErrOverflow},
		{"wraps to a regular stride", func() (*Type, error) {
			return HindexedBlock(1, []int64{math.MinInt64 + 1, math.MinInt64, math.MaxInt64 - 8}, Byte)
		}, ErrOverflow},
		{"too far out", func() (*Type, error) { return Hindexed(one, []int64{math.MaxInt64}, Byte) }, ErrOverflow},
		{"bounds too far apart", func() (*Type, error) { return Resized(Byte, math.MaxInt64, 1) }, ErrOverflow},
		{"subarray without dimensions", func() (*Type, error) { return Subarray(nil, nil, nil, OrderC, Byte) },
			ErrArgument},
		{"subarray out of range", func() (*Type, error) {
			return Subarray([]int64{3}, []int64{2}, []int64{2}, OrderC, Byte)
		}, ErrArgument},
		{"subarray order", func() (*Type, error) { return Subarray(one, one, []int64{0}, 7, Byte) }, ErrArgument},
		{"subarray too large", func() (*Type, error) {
			return Subarray([]int64{1 << 40, 1 << 40}, []int64{1, 1}, []int64{0, 0}, OrderC, Byte)
		}, ErrOverflow},
		{"darray grid", func() (*Type, error) {
			return Darray(4, 1, []Dimension{{8, DistributeBlock, 2, 3}}, OrderC, Byte)
		}, ErrArgument},
		{"darray without dimensions", func() (*Type, error) { return Darray(1, 0, nil, OrderC, Byte) }, ErrArgument},
		{"darray block too small", func() (*Type, error) {
			return Darray(2, 1, []Dimension{{8, DistributeBlock, 3, 2}}, OrderC, Byte)
		}, ErrArgument},
		{"darray not distributed", func() (*Type, error) {
			return Darray(2, 1, []Dimension{{8, DistributeNone, 3, 2}}, OrderC, Byte)
		}, ErrArgument},
		{"contents", func() (*Type, error) { return Contents{Combiner: CombinerVector}.Make() }, ErrArgument},
		{"contents of a named type", func() (*Type, error) { return Byte.Contents().Make() }, ErrArgument},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dt, err := c.make()
			require.ErrorIs(t, err, c.want)
			require.Nil(t, dt)
			require.Contains(t, err.Error(), "datatype: make ")
		})
	}
	_, err = Float64.Times(-1)
	require.ErrorIs(t, err, ErrCount)
	_, err = Float64.Times(math.MaxInt64 / 4)
	require.ErrorIs(t, err, ErrOverflow)
}

func TestDepth(t *testing.T) {
	ok := must(t)
	dt := Byte
	for i := range int64(5000) { // each level adds an entry to a list
		dt = ok(Struct([]int64{1, 1}, []int64{0, 3 * (i + 1) * (i + 1)}, []*Type{dt, Byte}))
	}
	require.EqualValues(t, 5001, dt.Size())
	require.NoError(t, checkFlat(dt.Flat()))

	dt = Byte
	for i := range int64(40) { // the type doubles, its flat form gets one node more
		dt = ok(Struct([]int64{1, 1, 1}, []int64{0, 1 << (i + 2), 1<<(i+2) + 1<<(i+1)}, []*Type{dt, dt, Byte}))
	}
	require.Greater(t, dt.Size(), int64(1)<<40)
	require.Less(t, len(dt.Flat().words), 20000)

	var err error
	for levels := 0; err == nil; levels++ { // each a list too long to be dissolved
		require.Less(t, levels, 2*maxDepth)
		_, extent := dt.Extent()
		at, types := []int64{0}, []*Type{dt}
		for i := range int64(maxInline) {
			at, types = append(at, extent+3*i+i%2), append(types, Byte)
		}
		lengths := slices.Repeat([]int64{1}, len(at))
		if dt, err = Struct(lengths, at, types); err == nil {
			require.NoError(t, checkFlat(dt.Flat()))
		}
	}
	require.ErrorIs(t, err, ErrDepth)
}

// TestNormalForm checks that layouts which are the same have the same flat form.
func TestNormalForm(t *testing.T) {
	ok := must(t)
	vector := func(count, length, stride int64) *Type { return ok(Vector(count, length, stride, Float64)) }
	displacements := make([]int64, 1000)
	for i := range displacements {
		displacements[i] = int64(i) * 4
	}
	resized := ok(Resized(ok(Contiguous(2, Float64)), 0, 32))
	cases := []struct {
		name string
		a, b *Type
		node int // words of nodes
	}{
		{"vector of contiguous blocks", vector(10, 4, 4), ok(Contiguous(40, Float64)), 0},
		{"many as few", vector(1000000000, 1, 2), vector(1000000000, 1, 2), loopWords},
		{"vector of vectors", ok(Hvector(10, 1, 5*64, vector(5, 2, 8))), vector(50, 2, 8), loopWords},
		{"regular indexed", ok(IndexedBlock(2, displacements, Float64)), vector(1000, 2, 4), loopWords},
		{"contiguous resized", ok(Contiguous(7, resized)), vector(7, 2, 4), loopWords},
		{"rows of an array", ok(Subarray([]int64{8, 8}, []int64{3, 8}, []int64{0, 0}, OrderC, Float64)),
			ok(Contiguous(24, Float64)), 0},
		{"part of rows", ok(Subarray([]int64{8, 8}, []int64{3, 2}, []int64{0, 0}, OrderC, Float64)),
			vector(3, 2, 8), loopWords},
		{"Fortran", ok(Subarray([]int64{8, 6}, []int64{2, 3}, []int64{0, 0}, OrderFortran, Float64)),
			vector(3, 2, 8), loopWords},
		{"a structure without gaps", ok(Struct([]int64{2, 3}, []int64{0, 16}, []*Type{Float64, Float64})),
			ok(Contiguous(5, Float64)), 0},
		{"a structure in a structure", ok(Struct([]int64{1, 1}, []int64{0, 60},
			[]*Type{ok(Struct([]int64{1, 2}, []int64{0, 8}, []*Type{Int32, Int32})), Int32})),
			ok(Hindexed([]int64{1, 2, 1}, []int64{0, 8, 60}, Int32)), listWords + 3*entryWords},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, b := c.a.Flat().words[headerWords:], c.b.Flat().words[headerWords:]
			require.Equal(t, a, b)
			require.Len(t, a, c.node)
		})
	}
	l, err := resized.Times(1000)
	require.NoError(t, err)
	require.True(t, l.root.isLoop() && l.root.reference == 0 && l.root.count == 1000)
	l, err = ok(Contiguous(4, Float64)).Times(1000)
	require.NoError(t, err)
	origin, contiguous := l.Contiguous()
	require.True(t, contiguous)
	require.Zero(t, origin)
}

func TestContentsMakeTheSameType(t *testing.T) {
	rng := testkit.Rand(t)
	for range 2000 {
		dt := randomType(rng, 4)
		c := dt.Contents()
		if c.Combiner == CombinerNamed {
			continue
		}
		again, err := c.Make()
		require.NoError(t, err, "%v", dt)
		require.Equal(t, dt.Flat(), again.Flat(), "%v", dt)
		require.Equal(t, dt.String(), again.String())
	}
}

func TestArgumentsAreCopied(t *testing.T) {
	ok := must(t)
	at := []int64{8, 0}
	dt := ok(HindexedBlock(1, at, Int32))
	at[0] = 99
	require.Equal(t, []int64{8, 0}, dt.Contents().Displacements)
	require.Equal(t, "hindexed_block(2, 1, 8B, 0B, int32)", dt.String())
}

func TestElements(t *testing.T) {
	rng := testkit.Rand(t)
	for range testkit.Rounds(1000) {
		dt := randomType(rng, 4)
		m := modelOf(dt)
		ends := map[int64]int64{0: 0} // bytes to elements
		at, n := int64(0), int64(0)
		for range 2 {
			for _, length := range m.lengths {
				at, n = at+length, n+1
				ends[at] = n
				require.Equal(t, at, dt.ElementBytes(n), "%d elements of %v", n, dt)
			}
		}
		last := int64(0)
		for b := range at + 1 {
			want, whole := ends[b]
			if whole {
				last = want
			}
			got, gotWhole := dt.Elements(b)
			require.Equal(t, last, got, "%d bytes of %v", b, dt)
			require.Equal(t, whole, gotWhole, "%d bytes of %v", b, dt)
		}
	}
}

func TestSignature(t *testing.T) {
	ok := must(t)
	times := func(n int64, dt *Type) Signature { return ok(Contiguous(n, dt)).Signature() }
	pair := ok(Struct([]int64{1, 1}, []int64{0, 8}, []*Type{Int32, Float64}))
	spread := ok(Struct([]int64{1, 1, 2}, []int64{0, 100, 200}, []*Type{Int32, Float64, pair}))
	require.Equal(t, times(3, pair), spread.Signature())
	require.Equal(t, times(3000000000, pair), times(1000000000, spread))
	require.Equal(t, Signature{Elements: 0}, times(0, pair))
	require.Equal(t, ok(Vector(5, 3, 7, Int32)).Signature(), times(15, Int32))

	swapped := ok(Struct([]int64{1, 1}, []int64{0, 8}, []*Type{Float64, Int32}))
	require.NotEqual(t, pair.Signature(), swapped.Signature())
	require.NotEqual(t, Int32.Signature(), Uint32.Signature())
	require.NotEqual(t, times(2, Int32), times(2, Int64))
	require.NotEqual(t, times(2, Int32).Hash, times(3, Int32).Hash)
	require.Equal(t, Float32Int32.Signature(),
		ok(Struct([]int64{1, 1}, []int64{0, 4}, []*Type{Float32, Int32})).Signature())
}

// TestRepeats joins equal elements in all the ways that constructors have.
func TestRepeats(t *testing.T) {
	ok := must(t)
	two := ok(Contiguous(2, Int32))
	seven := ok(Struct([]int64{1, 2, 1}, []int64{0, 100, 200}, []*Type{Int32, two, ok(Vector(2, 1, 3, Int32))}))
	mixed := ok(Struct([]int64{1, 1}, []int64{0, 8}, []*Type{Int32, Float32}))
	again := ok(Struct([]int64{1, 1, 1}, []int64{0, 8, 12}, []*Type{mixed, Int32, Float32}))
	empty := ok(Contiguous(0, Float64))
	for _, c := range []struct {
		all, one *Type
		want     bool
	}{
		{Int32, Int32, true}, {two, Int32, true}, {Int32, two, false}, {seven, Int32, true}, {seven, two, false},
		{two, Uint32, false}, {mixed, Int32, false}, {mixed, Float32, false}, {again, mixed, true},
		{again, ok(Contiguous(2, mixed)), true}, {mixed, again, false}, {again, two, false},
		{ok(Hindexed([]int64{3, 1}, []int64{0, 100}, mixed)), again, true}, {empty, Int32, true},
		{empty, empty, true}, {Int32, empty, false},
	} {
		require.Equal(t, c.want, c.all.Repeats(c.one), "%v of %v", c.all, c.one)
	}
}

func TestDense(t *testing.T) {
	ok := must(t)
	for _, dt := range []*Type{Int32, ok(Contiguous(3, Int32)), ok(Vector(4, 2, 2, Int32)),
		ok(Struct([]int64{1, 2}, []int64{0, 4}, []*Type{Int32, Int32}))} {
		require.True(t, dt.Dense(), dt)
	}
	for _, dt := range []*Type{ok(Vector(2, 1, 2, Int32)), ok(Resized(Int32, 0, 8)), ok(Resized(Int32, -4, 8)),
		ok(Hindexed([]int64{1}, []int64{4}, Int32)), ok(Hindexed([]int64{1, 1}, []int64{4, 0}, Int32))} {
		require.False(t, dt.Dense(), dt)
	}
}

// TestAllocations counts what constructors make: a type, and the nodes of its layout. Only what does not fit into a
// type has memory of its own.
func TestAllocations(t *testing.T) {
	lengths, at := []int64{1, 2, 1}, []int64{0, 16, 40}
	types := []*Type{Int32, Float64, Char}
	for name, c := range map[string]struct {
		most float64
		make func() (*Type, error)
	}{
		"dup":        {1, func() (*Type, error) { return Dup(Int32) }},
		"resized":    {1, func() (*Type, error) { return Resized(Int32, 0, 8) }},
		"contiguous": {1, func() (*Type, error) { return Contiguous(3, Int32) }},
		"vector":     {2, func() (*Type, error) { return Vector(3, 2, 4, Int32) }},
		"hvector":    {2, func() (*Type, error) { return Hvector(3, 2, 32, Int32) }},
		"hindexed":   {4, func() (*Type, error) { return Hindexed(lengths, at, Int32) }}, // numbers, entries
		"struct":     {5, func() (*Type, error) { return Struct(lengths, at, types) }},   // and types
	} {
		got := testing.AllocsPerRun(100, func() {
			if _, err := c.make(); err != nil {
				t.Error(err)
			}
		})
		require.LessOrEqual(t, got, c.most, name)
	}
}
