package datatype

// Basics calls visit for each basic type that one element of the type consists of, in the order
// of the packed stream; count of them follow each other. It stops when visit returns false, and
// returns what visit has returned last. A loop of many blocks is many calls.
func (t *Type) Basics(visit func(count int64, basic *Type) bool) bool {
	done := true
	t.parts(func(count int64, part *Type) bool {
		switch {
		case part == t, part.basic():
			done = visit(count, part)
		case part.body.data.empty():
		default:
			for range count {
				if done = part.Basics(visit); !done {
					break
				}
			}
		}
		return done
	})
	return done
}

// basic tells whether the type is one basic element.
func (t *Type) basic() bool {
	return t.contents.Combiner == CombinerNamed && len(t.contents.Types) == 0
}
