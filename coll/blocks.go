package coll

import "github.com/gopvas/gopvas/pml"

// Gather, Scatter, Allgather and Alltoall by messages.

// window is how many exchanges the linear algorithms have underway at a time.
const window = 32

// gatherLinear: all send to the root.
func gatherLinear(t *Team) {
	a := &t.args
	if t.Rank != a.Root {
		t.send(a.Root, a.Send.Data)
		return
	}
	place(a.Recv.Part(t.Rank), a.Send.Data)
	t.fan(func(member int) (in, out []byte, receives, sends bool) {
		return a.Recv.Part(member), nil, true, false
	})
}

// scatterLinear: the root sends to all.
func scatterLinear(t *Team) {
	a := &t.args
	if t.Rank != a.Root {
		t.recv(a.Root, a.Recv.Data)
		return
	}
	place(a.Recv.Data, a.Send.Part(t.Rank))
	t.fan(func(member int) (in, out []byte, receives, sends bool) {
		return nil, a.Send.Part(member), false, true
	})
}

// alltoallLinear begins all exchanges, a window of them at a time, and so does not
// make members wait for one another more often than they must.
func alltoallLinear(t *Team) {
	a := &t.args
	place(a.Recv.Part(t.Rank), a.Send.Part(t.Rank))
	t.fan(func(member int) (in, out []byte, receives, sends bool) {
		return a.Recv.Part(member), a.Send.Part(member), true, true
	})
}

// alltoallPairwise exchanges with one pair of members at a time.
func alltoallPairwise(t *Team) {
	a := &t.args
	place(a.Recv.Part(t.Rank), a.Send.Part(t.Rank))
	for d := 1; d < t.Size; d++ {
		to, from := t.neighbour(d), t.neighbour(-d)
		t.exchange(to, a.Send.Part(to), from, a.Recv.Part(from))
	}
}

// fan exchanges with all other members, receiving from those behind and sending to
// those ahead in the order of distance, a window of them at a time.
func (t *Team) fan(parts func(member int) (in, out []byte, receives, sends bool)) {
	var ins, outs [window]pml.Request
	var lengths [window]int
	for first := 1; first < t.Size; first += window {
		n := min(window, t.Size-first)
		for i := range n {
			from := t.neighbour(-first - i)
			if in, _, receives, _ := parts(from); receives {
				ins[i], lengths[i] = t.irecv(from, in), len(in)
			}
		}
		for i := range n {
			to := t.neighbour(first + i)
			if _, out, _, sends := parts(to); sends {
				outs[i] = t.isend(to, out)
			}
		}
		for i := range n {
			t.arrived(t.neighbour(-first-i), &ins[i], lengths[i])
			t.sent(&outs[i])
		}
	}
}

// place copies a block unless it is there already.
func place(to, from []byte) {
	if len(to) > 0 && len(from) > 0 && &to[0] == &from[0] {
		return
	}
	copy(to, from)
}

// gatherBinomial collects blocks up a binomial tree. Regular calls only.
func gatherBinomial(t *Team) {
	a := &t.args
	n, root := a.size(), a.Root
	me := t.relative(root)
	buf := t.temp(n * t.subtree(me))
	copy(buf, a.Send.Data)
	for mask := 1; mask < t.Size; mask *= 2 {
		if me&mask != 0 {
			t.send(t.absolute(me-mask, root), buf)
			return
		}
		if me+mask < t.Size {
			t.recv(t.absolute(me+mask, root), buf[mask*n:][:n*min(mask, t.Size-me-mask)])
		}
	}
	for i := range t.Size {
		place(a.Recv.Part(t.absolute(i, root)), buf[i*n:][:n])
	}
}

// scatterBinomial hands blocks down a binomial tree. Regular calls only.
func scatterBinomial(t *Team) {
	a := &t.args
	n, root := a.size(), a.Root
	me := t.relative(root)
	buf := t.temp(n * t.subtree(me))
	mask := 1
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	if me == 0 {
		for i := range t.Size {
			copy(buf[i*n:][:n], a.Send.Part(t.absolute(i, root)))
		}
	} else {
		t.recv(t.absolute(me-mask, root), buf)
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if me+mask < t.Size {
			t.send(t.absolute(me+mask, root), buf[mask*n:][:n*min(mask, t.Size-me-mask)])
		}
	}
	place(a.Recv.Data[:n], buf[:n])
}

// subtree returns the number of members in the binomial tree below a relative number.
func (t *Team) subtree(me int) int {
	if me == 0 {
		return t.Size
	}
	return min(me&-me, t.Size-me)
}

// allgatherRing lets the blocks go round.
func allgatherRing(t *Team) {
	a := &t.args
	place(a.Recv.Part(t.Rank), a.Send.Data)
	next, previous := t.neighbour(1), t.neighbour(-1)
	for i := range t.Size - 1 {
		t.exchange(next, a.Recv.Part(t.neighbour(-i)), previous, a.Recv.Part(t.neighbour(-i-1)))
	}
}

// allgatherBruck doubles the blocks that each has in every round. Regular calls only.
func allgatherBruck(t *Team) {
	a := &t.args
	n := a.size()
	buf := t.temp(n * t.Size) // this member's block first, and on from there
	copy(buf, a.Send.Data)
	for have := 1; have < t.Size; have *= 2 {
		more := n * min(have, t.Size-have)
		t.exchange(t.neighbour(-have), buf[:more], t.neighbour(have), buf[have*n:][:more])
	}
	for i := range t.Size {
		place(a.Recv.Part(t.neighbour(i)), buf[i*n:][:n])
	}
}

// alltoallBruck moves blocks in log2(Size) rounds: in round i, each block whose way is
// still odd in bit i goes 2^i members ahead. Regular calls only.
func alltoallBruck(t *Team) {
	a := &t.args
	n := a.Send.Block
	half := (t.Size + 1) / 2 * n // a round moves at most so much
	buf := t.temp(n*t.Size + 2*half)
	way, out, in := buf[:n*t.Size], buf[n*t.Size:][:half], buf[n*t.Size+half:]
	for i := range t.Size {
		copy(way[i*n:][:n], a.Send.Part(t.neighbour(i)))
	}
	for d := 1; d < t.Size; d *= 2 {
		packed := out[:0]
		for i := d; i < t.Size; i++ {
			if i&d != 0 {
				packed = append(packed, way[i*n:][:n]...)
			}
		}
		t.exchange(t.neighbour(d), packed, t.neighbour(-d), in[:len(packed)])
		rest := in
		for i := d; i < t.Size; i++ {
			if i&d != 0 {
				rest = rest[copy(way[i*n:][:n], rest):]
			}
		}
	}
	for i := range t.Size {
		copy(a.Recv.Part(t.neighbour(-i)), way[i*n:][:n])
	}
}
