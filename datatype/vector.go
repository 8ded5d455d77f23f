package datatype

// Contiguous makes count elements of old, one extent apart.
func Contiguous(count int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerContiguous, Integers: []int64{count}, Types: []*Type{old}}
	if err := c.check(count); err != nil {
		return nil, err
	}
	var x exact
	return finish(&x, repeat(&x, old.body, count, old.extent), c)
}

// Vector makes count blocks of blocklength elements of old. The stride from block to block
// is in extents of old.
func Vector(count, blocklength, stride int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerVector, Integers: []int64{count, blocklength, stride}, Types: []*Type{old}}
	if err := c.check(count, blocklength); err != nil {
		return nil, err
	}
	var x exact
	return vector(&x, count, blocklength, x.mul(stride, old.extent), c)
}

// Hvector is Vector with the stride in bytes.
func Hvector(count, blocklength, stride int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerHvector, Integers: []int64{count, blocklength},
		Displacements: []int64{stride}, Types: []*Type{old}}
	if err := c.check(count, blocklength); err != nil {
		return nil, err
	}
	var x exact
	return vector(&x, count, blocklength, stride, c)
}

func vector(x *exact, count, blocklength, stride int64, c Contents) (*Type, error) {
	old := c.Types[0]
	block := repeat(x, old.body, blocklength, old.extent)
	return finish(x, repeat(x, block, count, stride), c)
}
