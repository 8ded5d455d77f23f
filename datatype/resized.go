package datatype

// Resized is old with another lower bound and extent. Types made from it keep to these
// bounds.
func Resized(old *Type, lb, extent int64) (*Type, error) {
	a := arguments{combiner: CombinerResized, displacements: []int64{lb, extent}, types: []*Type{old}}
	if err := a.check(); err != nil {
		return nil, err
	}
	var x exact
	return finish(&x, old.body.bounded(lb, x.add(lb, extent)), &a)
}

// Dup is a copy of old, bounds included.
func Dup(old *Type) (*Type, error) {
	a := arguments{combiner: CombinerDup, types: []*Type{old}}
	if err := a.check(); err != nil {
		return nil, err
	}
	return finish(new(exact), old.body, &a)
}
