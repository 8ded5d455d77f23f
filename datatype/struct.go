package datatype

import "slices"

// Struct makes one block for each displacement, in bytes, of as many elements of its type
// as its blocklength says.
func Struct(blocklengths, displacements []int64, types []*Type) (*Type, error) {
	c := Contents{Combiner: CombinerStruct, Types: slices.Clone(types),
		Integers:      slices.Concat([]int64{int64(len(blocklengths))}, blocklengths),
		Displacements: slices.Clone(displacements)}
	if len(blocklengths) != len(displacements) || len(blocklengths) != len(types) {
		return nil, failed(c.Combiner, wrong("%d blocklengths, %d displacements and %d types",
			len(blocklengths), len(displacements), len(types)))
	}
	if err := c.check(blocklengths...); err != nil {
		return nil, err
	}
	var x exact
	all := newJoiner(&x)
	for i, t := range types {
		if blocklengths[i] > 0 {
			all.add(displacements[i], repeat(&x, t.body, blocklengths[i], t.extent))
		}
	}
	return finish(&x, all.done(), c)
}
