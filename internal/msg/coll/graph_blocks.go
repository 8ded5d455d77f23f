package coll

import "github.com/gopvas/gopvas/internal/msg/coll/cad"

// Gather, Scatter, Allgather and Alltoall as graphs. Each block is copied once, from
// where it is to where it belongs. Members begin with those beside them, so that they do
// not all want the same one at a time.

func graphGather(b *builder) {
	t, a := b.t, &b.a
	if t.Rank != a.Root {
		b.sendPart(a.Send.own(), a.Root)
		return
	}
	b.copyPart(a.Recv.PartOf(t.Rank), a.Send.own())
	for d := 1; d < t.Size; d++ {
		from := t.neighbour(d)
		b.recvPart(a.Recv.PartOf(from), from)
	}
}

func graphScatter(b *builder) {
	t, a := b.t, &b.a
	if t.Rank != a.Root {
		b.recvPart(a.Recv.own(), a.Root)
		return
	}
	b.copyPart(a.Recv.own(), a.Send.PartOf(t.Rank))
	for d := 1; d < t.Size; d++ {
		to := t.neighbour(d)
		b.sendPart(a.Send.PartOf(to), to)
	}
}

func graphAllgather(b *builder) {
	t, a := b.t, &b.a
	b.copyPart(a.Recv.PartOf(t.Rank), a.Send.own())
	for d := 1; d < t.Size; d++ {
		from, to := t.neighbour(-d), t.neighbour(d)
		b.recvPart(a.Recv.PartOf(from), from)
		b.sendPart(a.Send.own(), to)
	}
}

// window is how many exchanges an Alltoall by messages has underway at a time.
const window = 32

func graphAlltoall(b *builder) {
	t, a := b.t, &b.a
	b.copyPart(a.Recv.PartOf(t.Rank), a.Send.PartOf(t.Rank))
	got := make([]cad.Node, t.Size)
	for d := 1; d < t.Size; d++ {
		from, to, after := t.neighbour(-d), t.neighbour(d), cad.Start
		if b.whole && d > window {
			after = got[d-window]
		}
		got[d] = b.recvPart(a.Recv.PartOf(from), from, after)
		b.sendPart(a.Send.PartOf(to), to, after)
	}
}

// graphGatherBinomial collects blocks up a binomial tree. Regular calls only.
func graphGatherBinomial(b *builder) {
	t, a := b.t, &b.a
	n, root := a.size(), a.Root
	me := t.relative(root)
	buf := make([]byte, n*t.subtree(me))
	there := []cad.Node{b.copy(buf, a.Send.Data)}
	for mask := 1; mask < t.Size; mask *= 2 {
		if me&mask != 0 {
			b.send(buf, t.absolute(me-mask, root), there...)
			return
		}
		if me+mask < t.Size {
			there = append(there, b.recv(buf[mask*n:][:n*min(mask, t.Size-me-mask)], t.absolute(me+mask, root)))
		}
	}
	for i := range t.Size {
		b.copy(a.Recv.Part(t.absolute(i, root)), buf[i*n:][:n], there...)
	}
}

// graphScatterBinomial hands blocks down a binomial tree. Regular calls only.
func graphScatterBinomial(b *builder) {
	t, a := b.t, &b.a
	n, root := a.size(), a.Root
	me := t.relative(root)
	buf := make([]byte, n*t.subtree(me))
	mask := 1
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	var there []cad.Node
	if me != 0 {
		there = append(there, b.recv(buf, t.absolute(me-mask, root)))
	}
	for i := 0; me == 0 && i < t.Size; i++ {
		there = append(there, b.copy(buf[i*n:], a.Send.Part(t.absolute(i, root))))
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if me+mask < t.Size {
			b.send(buf[mask*n:][:n*min(mask, t.Size-me-mask)], t.absolute(me+mask, root), there...)
		}
	}
	b.copy(a.Recv.Data, buf[:n], there...)
}

// subtree returns the number of members in the binomial tree below a relative number.
func (t *Team) subtree(me int) int {
	if me == 0 {
		return t.Size
	}
	return min(me&-me, t.Size-me)
}

// graphAllgatherBruck: in each round a member sends all that it has to the one that many
// members behind, so that what it has doubles. Regular calls only.
func graphAllgatherBruck(b *builder) {
	t, a := b.t, &b.a
	n := a.size()
	buf := make([]byte, n*t.Size) // this member's block first, and on from there
	done := b.copy(buf, a.Send.Data)
	for have := 1; have < t.Size; have *= 2 {
		more := n * min(have, t.Size-have)
		b.send(buf[:more], t.neighbour(-have), done)
		done = b.recv(buf[have*n:][:more], t.neighbour(have), done)
	}
	for i := range t.Size {
		b.copy(a.Recv.Part(t.neighbour(i)), buf[i*n:][:n], done)
	}
}

// graphAlltoallBruck moves blocks in log2(Size) rounds: in round i, each block whose way
// is still odd in bit i goes 2^i members ahead. Regular calls only.
func graphAlltoallBruck(b *builder) {
	t, a := b.t, &b.a
	n := a.Send.Block
	way := make([]byte, n*t.Size)
	var ready []cad.Node
	for i := range t.Size {
		ready = append(ready, b.copy(way[i*n:], a.Send.Part(t.neighbour(i))))
	}
	for d := 1; d < t.Size; d *= 2 {
		before, runs := b.join(ready), [][]byte(nil)
		for i := d; i < t.Size; i += 2 * d {
			runs = append(runs, way[i*n:min(i+d, t.Size)*n])
		}
		out, in := make([]byte, len(way)), make([]byte, len(way))
		var packed []cad.Node
		at := 0
		for _, run := range runs {
			packed = append(packed, b.copy(out[at:], run, before))
			at += len(run)
		}
		sent := b.send(out[:at], t.neighbour(d), packed...)
		got := b.recv(in[:at], t.neighbour(-d), before)
		ready, at = []cad.Node{sent}, 0
		for i, run := range runs {
			ready = append(ready, b.copy(run, in[at:][:len(run)], got, packed[i]))
			at += len(run)
		}
	}
	done := b.join(ready)
	for i := range t.Size {
		b.copy(a.Recv.Part(t.neighbour(-i)), way[i*n:][:n], done)
	}
}
