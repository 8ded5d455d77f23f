package datatype

import "slices"

// listBuilder joins pieces to one, in the order in which they are added.
type listBuilder struct{ entries []piece }

// add appends a piece. A run that begins where the last one ends makes it longer.
func (b *listBuilder) add(p piece) {
	if p.empty() {
		return
	}
	if n := len(b.entries); n > 0 && p.isRun() {
		if last := &b.entries[n-1]; last.isRun() && last.disp+last.size == p.disp {
			last.size += p.size
			return
		}
	}
	b.entries = append(b.entries, p)
}

// done makes the piece.
func (b *listBuilder) done(x *exact) piece {
	b.entries = compress(x, b.entries)
	if b.dissolve(x) {
		b.entries = compress(x, b.entries)
	}
	switch len(b.entries) {
	case 0:
		return piece{}
	case 1:
		return b.entries[0]
	}
	return newList(x, b.entries)
}

// newList makes a list of entries, which it keeps unless they are in memory of many more.
func newList(x *exact, entries []piece) piece {
	first := entries[0].disp
	if cap(entries) > 2*len(entries) {
		entries = slices.Clone(entries)
	}
	n := &node{entries: entries}
	n.lo, n.hi = entries[0].moved(x, -first).bounds(x)
	for i := range n.entries {
		e := &n.entries[i]
		e.disp = x.sub(e.disp, first)
		lo, hi := e.bounds(x)
		n.lo, n.hi = min(n.lo, lo), max(n.hi, hi)
		n.size = x.add(n.size, e.size)
		n.depth = max(n.depth, e.depth()+1)
	}
	return piece{disp: first, size: n.size, node: n}
}

// dissolve replaces the lists among the entries by their own entries if few are left in
// all, and tells whether there was one.
func (b *listBuilder) dissolve(x *exact) bool {
	total, lists := 0, 0
	for _, e := range b.entries {
		total++
		if e.node != nil && !e.node.isLoop() {
			total += len(e.node.entries) - 1
			lists++
		}
	}
	if lists == 0 || total > maxInline {
		return false
	}
	var flat listBuilder
	for _, e := range b.entries {
		if e.node == nil || e.node.isLoop() {
			flat.add(e)
			continue
		}
		for _, inner := range e.node.entries {
			flat.add(inner.moved(x, e.disp))
		}
	}
	b.entries = flat.entries
	return true
}

// compress makes loops of equal pieces that are equally far apart, then loops of such
// loops, until nothing changes.
func compress(x *exact, entries []piece) []piece {
	for {
		before := len(entries)
		entries = group(x, entries)
		if len(entries) == before {
			return entries
		}
	}
}

// group makes one pass of compress, in place: what is written is never more than what is
// read.
func group(x *exact, entries []piece) []piece {
	out := entries[:0]
	for i := 0; i < len(entries); {
		k, stride := rounds(x, entries[i:])
		if k < minRounds && k < len(entries) || k == 1 {
			out = append(out, entries[i])
			i++
			continue
		}
		p := loop(x, int64(k), stride, entries[i])
		out = append(out, p)
		i += k
	}
	return out
}

// rounds counts the pieces at the front that one loop can stand for.
func rounds(x *exact, entries []piece) (k int, stride int64) {
	if len(entries) < 2 || !entries[0].same(entries[1]) {
		return 1, 0
	}
	stride = x.sub(entries[1].disp, entries[0].disp)
	for k = 2; k < len(entries); k++ {
		if !entries[k].same(entries[0]) || entries[k].disp-entries[k-1].disp != stride {
			break
		}
	}
	return k, stride
}
