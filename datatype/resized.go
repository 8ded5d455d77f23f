package datatype

// Resized is old with another lower bound and extent. Types made from it keep to these
// bounds.
func Resized(old *Type, lb, extent int64) (*Type, error) {
	c := Contents{Combiner: CombinerResized, Displacements: []int64{lb, extent}, Types: []*Type{old}}
	if err := c.check(); err != nil {
		return nil, err
	}
	var x exact
	return finish(&x, old.body.bounded(lb, x.add(lb, extent)), c)
}

// Dup is a copy of old, bounds included.
func Dup(old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerDup, Types: []*Type{old}}
	if err := c.check(); err != nil {
		return nil, err
	}
	return newType(old.body, c)
}
