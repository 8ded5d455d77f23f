package datatype

// Elements counts the basic elements in the first n bytes of a packed stream of the type.
// whole is false if the bytes end within an element, which is then not counted.
func (t *Type) Elements(n int64) (elements int64, whole bool) {
	size := t.Size()
	if size == 0 || n <= 0 {
		return 0, n == 0
	}
	full, rest := n/size, n%size
	elements, whole = full*t.body.signature.count(), true
	t.parts(func(count int64, part *Type) bool {
		if part == t { // a basic type, of which all bytes are needed
			return false
		}
		if bytes := min(rest, count*part.Size()); bytes > 0 {
			var some int64
			some, whole = part.Elements(bytes)
			elements += some
			rest -= bytes
		}
		return rest > 0 && whole
	})
	return elements, whole && rest == 0
}

// ElementBytes is the inverse of Elements: it counts the bytes of the first n basic
// elements of a packed stream of the type.
func (t *Type) ElementBytes(n int64) int64 {
	inOne := t.body.signature.count()
	if inOne == 0 || n <= 0 {
		return 0
	}
	rest, bytes := n%inOne, n/inOne*t.Size()
	t.parts(func(count int64, part *Type) bool {
		if part == t {
			return false
		}
		some := min(rest, count*part.body.signature.count())
		bytes += part.ElementBytes(some)
		rest -= some
		return rest > 0
	})
	return bytes
}

// parts calls visit with the types that one element of t consists of and their counts, in
// the order of the packed stream, until it returns false. A basic type consists of itself.
func (t *Type) parts(visit func(count int64, part *Type) bool) {
	c := &t.contents
	switch {
	case c.Combiner == CombinerStruct:
		for i, part := range c.Types {
			if !visit(c.Integers[1+i], part) {
				return
			}
		}
	case len(c.Types) == 1:
		if old := c.Types[0]; old.Size() > 0 {
			visit(t.Size()/old.Size(), old)
		}
	case len(c.Types) == 2:
		_ = visit(1, c.Types[0]) && visit(1, c.Types[1])
	default:
		visit(1, t)
	}
}
