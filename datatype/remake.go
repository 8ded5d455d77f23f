package datatype

// Make calls the constructor with the contents. The type is like the one that the contents
// came from.
func (c Contents) Make() (*Type, error) {
	r := reader{c: c}
	t, err := r.make()
	if r.bad {
		return nil, failed(c.Combiner, wrong("contents of %d integers, %d displacements and %d types",
			len(c.Integers), len(c.Displacements), len(c.Types)))
	}
	return t, err
}

// reader takes the arguments out of the contents.
type reader struct {
	c    Contents
	next int // integer
	bad  bool
}

func (r *reader) integer() int64 {
	if r.next >= len(r.c.Integers) {
		r.bad = true
		return 0
	}
	r.next++
	return r.c.Integers[r.next-1]
}

func (r *reader) integers(n int64) []int64 {
	if n < 0 || n > int64(len(r.c.Integers)-r.next) {
		r.bad = true
		return nil
	}
	r.next += int(n)
	return r.c.Integers[r.next-int(n) : r.next]
}

func (r *reader) displacement(i int) int64 {
	if i >= len(r.c.Displacements) {
		r.bad = true
		return 0
	}
	return r.c.Displacements[i]
}

func (r *reader) old() *Type {
	if len(r.c.Types) != 1 {
		r.bad = true
		return Byte
	}
	return r.c.Types[0]
}

func (r *reader) make() (*Type, error) {
	switch r.c.Combiner {
	case CombinerDup:
		return Dup(r.old())
	case CombinerContiguous:
		return Contiguous(r.integer(), r.old())
	case CombinerVector:
		return Vector(r.integer(), r.integer(), r.integer(), r.old())
	case CombinerHvector:
		return Hvector(r.integer(), r.integer(), r.displacement(0), r.old())
	case CombinerIndexed:
		n := r.integer()
		return Indexed(r.integers(n), r.integers(n), r.old())
	case CombinerHindexed:
		return Hindexed(r.integers(r.integer()), r.c.Displacements, r.old())
	case CombinerIndexedBlock:
		n := r.integer()
		return IndexedBlock(r.integer(), r.integers(n), r.old())
	case CombinerHindexedBlock:
		r.integer()
		return HindexedBlock(r.integer(), r.c.Displacements, r.old())
	case CombinerStruct:
		return Struct(r.integers(r.integer()), r.c.Displacements, r.c.Types)
	case CombinerSubarray:
		n := r.integer()
		return Subarray(r.integers(n), r.integers(n), r.integers(n), Order(r.integer()), r.old())
	case CombinerDarray:
		return r.darray()
	case CombinerResized:
		return Resized(r.old(), r.displacement(0), r.displacement(1))
	}
	return nil, failed(r.c.Combiner, wrong("a named type is not made from contents"))
}

func (r *reader) darray() (*Type, error) {
	size, rank, n := r.integer(), r.integer(), r.integer()
	sizes, how, blocks, processes := r.integers(n), r.integers(n), r.integers(n), r.integers(n)
	dims := make([]Dimension, len(processes))
	for d := range dims {
		dims[d] = Dimension{sizes[d], Distribution(how[d]), blocks[d], processes[d]}
	}
	return Darray(size, rank, dims, Order(r.integer()), r.old())
}
