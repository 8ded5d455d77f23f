package datatype

import "slices"

// model is the slow oracle: it lists the displacement of every byte in the order of the
// packed stream, and every bound marker. It is computed from the contents of a type alone.
type model struct {
	bytes   []int64
	ends    []int64 // of the elements, with their padding
	lb, ub  []int64 // markers
	align   int64
	lengths []int64 // of the basic elements
}

func modelOf(t *Type) model {
	c := t.Contents()
	switch c.Combiner {
	case CombinerNamed:
		return modelOfNamed(t, c)
	case CombinerStruct:
		m := model{align: 1}
		for i, part := range c.Types {
			m.blocks(part, c.Integers[1+i], c.Displacements[i])
		}
		return m
	case CombinerDup:
		return modelOf(c.Types[0])
	case CombinerResized:
		m := modelOf(c.Types[0])
		m.lb, m.ub = []int64{c.Displacements[0]}, []int64{c.Displacements[0] + c.Displacements[1]}
		return m
	}
	old := c.Types[0]
	lb, ub := modelOf(old).bounds()
	extent := ub - lb
	m := model{align: 1}
	in := c.Integers
	switch c.Combiner {
	case CombinerContiguous:
		m.blocks(old, in[0], 0)
	case CombinerVector:
		for i := range in[0] {
			m.blocks(old, in[1], i*in[2]*extent)
		}
	case CombinerHvector:
		for i := range in[0] {
			m.blocks(old, in[1], i*c.Displacements[0])
		}
	case CombinerIndexed:
		for i := range in[0] {
			m.blocks(old, in[1+i], in[1+in[0]+i]*extent)
		}
	case CombinerHindexed:
		for i := range in[0] {
			m.blocks(old, in[1+i], c.Displacements[i])
		}
	case CombinerIndexedBlock:
		for i := range in[0] {
			m.blocks(old, in[1], in[2+i]*extent)
		}
	case CombinerHindexedBlock:
		for i := range in[0] {
			m.blocks(old, in[1], c.Displacements[i])
		}
	case CombinerSubarray:
		n := in[0]
		sizes, subsizes, starts, order := in[1:1+n], in[1+n:1+2*n], in[1+2*n:1+3*n], Order(in[1+3*n])
		m.array(old, extent, sizes, order, func(d int, i int64) bool {
			return i >= starts[d] && i < starts[d]+subsizes[d]
		})
	case CombinerDarray:
		m.darray(old, extent, in)
	}
	return m
}

func modelOfNamed(t *Type, c Contents) model {
	if parts := t.contents.Types; len(parts) > 0 {
		m := model{align: 1}
		m.blocks(parts[0], 1, 0)
		at := parts[0].Size()
		for at%parts[1].Align() != 0 {
			at++
		}
		m.blocks(parts[1], 1, at)
		return m
	}
	m := model{align: t.Align(), lengths: []int64{t.Size()}, ends: []int64{t.Size()}}
	for i := range t.Size() {
		m.bytes = append(m.bytes, i)
	}
	return m
}

// blocks adds n elements of a type at a displacement.
func (m *model) blocks(t *Type, n, disp int64) {
	old := modelOf(t)
	lb, ub := old.bounds()
	for i := range n {
		m.one(old, disp+i*(ub-lb))
	}
}

func (m *model) one(old model, disp int64) {
	add := func(to, from []int64) []int64 {
		for _, d := range from {
			to = append(to, d+disp)
		}
		return to
	}
	m.bytes, m.lb, m.ub = add(m.bytes, old.bytes), add(m.lb, old.lb), add(m.ub, old.ub)
	if len(old.bytes) > 0 {
		m.ends = append(m.ends, disp+old.padded())
	}
	m.lengths = append(m.lengths, old.lengths...)
	m.align = max(m.align, old.align)
}

// array adds the elements of an array that are wanted in each dimension.
func (m *model) array(old *Type, extent int64, sizes []int64, order Order, wanted func(d int, i int64) bool) {
	inner := modelOf(old)
	total := int64(1)
	for _, s := range sizes {
		total *= s
	}
	for at := range total {
		rest, ok := at, true
		for k := range sizes { // the fastest dimension first
			d := k
			if order == OrderC {
				d = len(sizes) - 1 - k
			}
			ok = ok && wanted(d, rest%sizes[d])
			rest /= sizes[d]
		}
		if ok {
			m.one(inner, at*extent)
		}
	}
	m.lb, m.ub = []int64{0}, []int64{total * extent}
}

func (m *model) darray(old *Type, extent int64, in []int64) {
	rank, n := in[1], in[2]
	in = in[3:]
	gsizes, distribs, dargs, psizes, order := in[:n], in[n:2*n], in[2*n:3*n], in[3*n:4*n], Order(in[4*n])
	at := make([]int64, n)
	for d := n - 1; d >= 0; d-- {
		at[d] = rank % psizes[d]
		rank /= psizes[d]
	}
	m.array(old, extent, gsizes, order, func(d int, i int64) bool {
		block := dargs[d]
		switch {
		case Distribution(distribs[d]) == DistributeNone:
			return true
		case block == DistributeDefault && Distribution(distribs[d]) == DistributeCyclic:
			block = 1
		case block == DistributeDefault:
			block = (gsizes[d] + psizes[d] - 1) / psizes[d]
		}
		return i/block%psizes[d] == at[d]
	})
}

// bounds are those of section 5.1.7, where an element ends behind its padding.
func (m model) bounds() (lb, ub int64) {
	if len(m.ub) > 0 {
		return m.lower(), slices.Max(m.ub)
	}
	return m.lower(), m.padded()
}

func (m model) lower() int64 {
	switch {
	case len(m.lb) > 0:
		return slices.Min(m.lb)
	case len(m.bytes) > 0:
		return slices.Min(m.bytes)
	case len(m.ub) > 0:
		return slices.Max(m.ub)
	}
	return 0
}

func (m model) padded() int64 {
	lo, hi := m.lower(), m.lower()
	if len(m.bytes) > 0 {
		hi = slices.Max(m.ends)
	}
	for (hi-lo)%m.align != 0 {
		hi++
	}
	return hi
}

// message lists the bytes of count elements.
func (m model) message(count int64) []int64 {
	lb, ub := m.bounds()
	var all []int64
	for i := range count {
		for _, d := range m.bytes {
			all = append(all, d+i*(ub-lb))
		}
	}
	return all
}

// overlaps tells whether a byte of memory is listed twice.
func overlaps(bytes []int64) bool {
	sorted := slices.Sorted(slices.Values(bytes))
	return len(slices.Compact(sorted)) < len(bytes)
}
