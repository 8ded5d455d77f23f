package datatype

// Struct makes one block for each displacement, in bytes, of as many elements of its type
// as its blocklength says.
func Struct(blocklengths, displacements []int64, types []*Type) (*Type, error) {
	a := arguments{combiner: CombinerStruct, integers: [5][]int64{{int64(len(blocklengths))}, blocklengths},
		displacements: displacements, types: types}
	if len(blocklengths) != len(displacements) || len(blocklengths) != len(types) {
		return nil, failed(a.combiner, wrong("%d blocklengths, %d displacements and %d types",
			len(blocklengths), len(displacements), len(types)))
	}
	if err := a.check(blocklengths...); err != nil {
		return nil, err
	}
	var x exact
	all := newJoiner(len(types))
	for i, t := range types {
		if blocklengths[i] > 0 {
			all.add(&x, displacements[i], repeat(&x, t.body, blocklengths[i], t.extent))
		}
	}
	return finish(&x, all.done(&x), &a)
}
