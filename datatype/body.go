package datatype

// body is the meaning of a type: where its bytes are, how it is bounded, and what its
// elements are. Every constructor is a composition of two operations, repeat and join.
type body struct {
	data      piece
	end       int64 // of the elements with their padding, if there is data
	lb, ub    marker
	align     int64 // the strictest of the basic elements
	signature signature
}

// marker is a bound that Resized, Subarray or Darray has set. Types made from that type keep
// it: sections 5.1.6 and 5.1.7.
type marker struct {
	at  int64
	set bool
}

func emptyBody() body { return body{align: 1} }

// repeat is count times b, the i-th at i*stride.
func repeat(x *exact, b body, count, stride int64) body {
	if count == 0 {
		return emptyBody()
	}
	last := x.mul(count-1, stride)
	return body{
		data:      loop(x, count, stride, b.data),
		end:       x.add(b.padded(x), max(0, last)),
		lb:        b.lb.moved(x, min(0, last)),
		ub:        b.ub.moved(x, max(0, last)),
		align:     b.align,
		signature: b.signature.repeat(count),
	}
}

// joiner joins bodies in the order in which they are added.
type joiner struct {
	list listBuilder
	body body
	any  bool // whether a body with data was added
}

// newJoiner makes a joiner for about so many bodies.
func newJoiner(bodies int) joiner {
	return joiner{body: emptyBody(), list: listBuilder{make([]piece, 0, bodies)}}
}

func (j *joiner) add(x *exact, disp int64, b body) {
	b = b.moved(x, disp)
	if !b.data.empty() && (!j.any || b.end > j.body.end) {
		j.any, j.body.end = true, b.end
	}
	j.list.add(b.data)
	if b.lb.set && (!j.body.lb.set || b.lb.at < j.body.lb.at) {
		j.body.lb = b.lb
	}
	if b.ub.set && (!j.body.ub.set || b.ub.at > j.body.ub.at) {
		j.body.ub = b.ub
	}
	j.body.align = max(j.body.align, b.align)
	j.body.signature = j.body.signature.join(b.signature)
}

func (j *joiner) done(x *exact) body {
	if !x.overflow {
		j.body.data = j.list.done(x)
	}
	return j.body
}

// moved is the body at another place.
func (b body) moved(x *exact, by int64) body {
	end := b.padded(x)
	b.data = b.data.moved(x, by)
	b.data.bounds(x) // so that it is known whether the end overflows
	b.end = x.add(by, end)
	b.lb, b.ub = b.lb.moved(x, by), b.ub.moved(x, by)
	return b
}

func (m marker) moved(x *exact, by int64) marker {
	if m.set {
		m.at = x.add(m.at, by)
	}
	return m
}

// bounded is b with both bounds set.
func (b body) bounded(lb, ub int64) body {
	b.lb, b.ub = marker{lb, true}, marker{ub, true}
	return b
}

// trueBounds are those of the bytes.
func (b body) trueBounds(x *exact) (lo, hi int64) {
	if b.data.empty() {
		return 0, 0
	}
	return b.data.bounds(x)
}

// bounds are the lower and the upper bound. Where none was set the elements count.
func (b body) bounds(x *exact) (lb, ub int64) {
	lb = b.lower(x)
	if b.ub.set {
		return lb, b.ub.at
	}
	return lb, b.padded(x)
}

func (b body) lower(x *exact) int64 {
	switch {
	case b.lb.set:
		return b.lb.at
	case b.data.empty():
		return b.ub.at
	}
	lo, _ := b.data.bounds(x)
	return lo
}

// padded is the end of the elements, moved up until the extent is a multiple of the
// alignment. So a compiler pads a structure: an array of the type is then aligned. The
// padding of an element is part of the types made from it, so that none ends inside another.
func (b body) padded(x *exact) int64 {
	lb, ub := b.lower(x), b.end
	if b.data.empty() {
		ub = lb
	}
	if rest := x.sub(ub, lb) & (b.align - 1); rest != 0 {
		ub = x.add(ub, b.align-rest)
	}
	return ub
}
