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

func emptyBody() body { return body{align: 1, signature: noElements} }

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
	x    *exact
	list listBuilder
	body body
	any  bool // whether a body with data was added
}

func newJoiner(x *exact) *joiner { return &joiner{x: x, body: emptyBody()} }

func (j *joiner) add(disp int64, b body) {
	p := b.data.moved(j.x, disp)
	if !p.empty() {
		p.bounds(j.x) // so that it is known whether the end overflows
		if end := j.x.add(disp, b.padded(j.x)); !j.any || end > j.body.end {
			j.any, j.body.end = true, end
		}
	}
	j.list.add(p)
	lb, ub := b.lb.moved(j.x, disp), b.ub.moved(j.x, disp)
	if lb.set && (!j.body.lb.set || lb.at < j.body.lb.at) {
		j.body.lb = lb
	}
	if ub.set && (!j.body.ub.set || ub.at > j.body.ub.at) {
		j.body.ub = ub
	}
	j.body.align = max(j.body.align, b.align)
	j.body.signature = j.body.signature.join(b.signature)
}

func (j *joiner) done() body {
	if !j.x.overflow {
		j.body.data = j.list.done(j.x)
	}
	return j.body
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
	if rest := x.sub(ub, lb) % b.align; rest != 0 {
		if rest < 0 {
			rest += b.align
		}
		ub = x.add(ub, b.align-rest)
	}
	return ub
}
