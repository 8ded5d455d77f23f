package datatype

// Contiguous makes count elements of old, one extent apart.
func Contiguous(count int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerContiguous, integers: [5][]int64{{count}}, types: []*Type{old}}
	if err := a.check(count); err != nil {
		return nil, err
	}
	var x exact
	return finish(&x, repeat(&x, old.body, count, old.extent), &a)
}

// Vector makes count blocks of blocklength elements of old. The stride from block to block
// is in extents of old.
func Vector(count, blocklength, stride int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerVector, integers: [5][]int64{{count, blocklength, stride}}, types: []*Type{old}}
	if err := a.check(count, blocklength); err != nil {
		return nil, err
	}
	var x exact
	return vector(&x, count, blocklength, x.mul(stride, old.extent), &a)
}

// Hvector is Vector with the stride in bytes.
func Hvector(count, blocklength, stride int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerHvector, integers: [5][]int64{{count, blocklength}},
		displacements: []int64{stride}, types: []*Type{old}}
	if err := a.check(count, blocklength); err != nil {
		return nil, err
	}
	var x exact
	return vector(&x, count, blocklength, stride, &a)
}

func vector(x *exact, count, blocklength, stride int64, a *arguments) (*Type, error) {
	old := a.types[0]
	block := repeat(x, old.body, blocklength, old.extent)
	return finish(x, repeat(x, block, count, stride), a)
}
