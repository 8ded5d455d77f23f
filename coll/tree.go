package coll

// Barrier, Bcast and Reduce by messages along trees.

// relative and absolute number the members from the root on.
func (t *Team) relative(root int) int           { return (t.Rank - root + t.Size) % t.Size }
func (t *Team) absolute(relative, root int) int { return (relative + root) % t.Size }

// neighbour is asked each time that a member looks at the others' pages: so it does not
// divide. The distance is less than the number of members, in either direction.
func (t *Team) neighbour(distance int) (member int) {
	switch member = t.Rank + distance; {
	case member >= t.Size:
		member -= t.Size
	case member < 0:
		member += t.Size
	}
	return member
}

// barrierDissemination: in round i everybody tells the member 2^i ahead, and hears
// from the one 2^i behind. It takes the fewest rounds, and Size*log2(Size) messages.
func barrierDissemination(t *Team) {
	for d := 1; d < t.Size; d *= 2 {
		t.exchange(t.neighbour(d), nil, t.neighbour(-d), nil)
	}
}

// barrierTree gathers to member 0 and comes back: twice the rounds, but only
// 2*Size messages, and each member sleeps twice at most.
func barrierTree(t *Team) {
	mask := 1
	for ; mask < t.Size && t.Rank&mask == 0; mask *= 2 {
		if from := t.Rank + mask; from < t.Size {
			t.recv(from, nil)
		}
	}
	if t.Rank != 0 {
		t.send(t.Rank-mask, nil)
	}
	t.down(nil, 0)
}

// bcastBinomial sends the whole buffer down a binomial tree.
func bcastBinomial(t *Team) { t.down(t.args.Send.Data, t.args.Root) }

// down receives buf from the parent in a binomial tree, unless this is the root, and
// sends it to the children, those with the largest subtrees first.
func (t *Team) down(buf []byte, root int) {
	me, mask := t.relative(root), 1
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	if me != 0 {
		t.recv(t.absolute(me-mask, root), buf)
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if me+mask < t.Size {
			t.send(t.absolute(me+mask, root), buf)
		}
	}
}

// bcastRing cuts the buffer into one share for each member, sends each the shares of
// its subtree down a binomial tree, and lets the shares go round a ring. A member
// moves about twice the buffer, whatever their number.
func bcastRing(t *Team) {
	buf, root := t.args.Send.Data, t.args.Root
	me, mask := t.relative(root), 1
	span := func(from, to int) []byte { // shares by relative number
		return buf[share(len(buf), min(from, t.Size), t.Size):share(len(buf), min(to, t.Size), t.Size)]
	}
	for mask < t.Size && me&mask == 0 {
		mask *= 2
	}
	if me != 0 {
		t.recv(t.absolute(me-mask, root), span(me, me+mask))
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if me+mask < t.Size {
			t.send(t.absolute(me+mask, root), span(me+mask, me+2*mask))
		}
	}
	next, previous := t.neighbour(1), t.neighbour(-1)
	for i := range t.Size - 1 {
		out, in := (me-i+t.Size)%t.Size, (me-i-1+t.Size)%t.Size
		t.exchange(next, span(out, out+1), previous, span(in, in+1))
	}
}

// share returns where the i-th of n shares of length bytes begins.
func share(length, i, n int) int {
	q, r := length/n, length%n
	return i*q + min(i, r)
}

// reduceBinomial combines up a binomial tree. If the operator is not commutative the
// tree hangs on member 0, so that each node combines a run of members, in order.
func reduceBinomial(t *Team) {
	top := t.args.Root
	if !t.args.Op.Commutative {
		top = 0
	}
	result := t.up(top)
	switch root := t.args.Root; {
	case top == root && t.Rank == root:
		copy(t.args.Recv.Data, result)
	case top == root:
	case t.Rank == top:
		t.send(root, result)
	case t.Rank == root:
		t.recv(top, t.args.Recv.Data[:len(t.args.Send.Data)])
	}
}

// up combines all members' vectors up a binomial tree and returns what this member's
// subtree gives: at the top, the result. It is in a temporary buffer.
func (t *Team) up(top int) []byte {
	send := t.args.Send.Data
	n := len(send)
	buf := t.temp(2 * n)
	sum, in := buf[:n:n], buf[n:]
	copy(sum, send)
	me := t.relative(top)
	for mask := 1; mask < t.Size; mask *= 2 {
		if me&mask != 0 {
			t.send(t.absolute(me-mask, top), sum)
			break
		}
		if me+mask < t.Size {
			t.recv(t.absolute(me+mask, top), in)
			t.apply(sum, in)
		}
	}
	return sum
}
