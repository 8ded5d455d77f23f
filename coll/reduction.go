package coll

// Allreduce, ReduceScatter and the scans by messages.

// allreduceTree reduces to member 0 and broadcasts.
func allreduceTree(t *Team) {
	n := len(t.args.Send.Data)
	recv := t.args.Recv.Data[:n]
	if result := t.up(0); t.Rank == 0 {
		copy(recv, result)
	}
	t.down(recv, 0)
}

// allreduceDoubling: after round i each member has the result of a run of 2^(i+1)
// members, which it got by exchanging with the neighbouring run. If the number of
// members is no power of two, some of the first join with a neighbour beforehand.
// Runs stay in the order of the members, so any associative operator will do.
func allreduceDoubling(t *Team) {
	n := len(t.args.Send.Data)
	power := 1
	for power*2 <= t.Size {
		power *= 2
	}
	extra := t.Size - power // pairs that join
	sum := t.args.Recv.Data[:n]
	copy(sum, t.args.Send.Data)
	buf := t.temp(n)
	me := t.Rank - extra
	if t.Rank < 2*extra {
		if t.Rank%2 != 0 {
			t.send(t.Rank-1, sum)
			t.recv(t.Rank-1, sum)
			return
		}
		t.recv(t.Rank+1, buf)
		t.apply(sum, buf)
		me = t.Rank / 2
	}
	for mask := 1; mask < power; mask *= 2 {
		other := me ^ mask
		peer := other + extra
		if other < extra {
			peer = other * 2
		}
		t.exchange(peer, sum, peer, buf)
		if other > me {
			t.apply(sum, buf)
		} else {
			t.apply(buf, sum)
			copy(sum, buf)
		}
	}
	if t.Rank < 2*extra {
		t.send(t.Rank+1, sum)
	}
}

// allreduceRing lets partial results of shares of the vector go round a ring, and
// then the results. Each member moves about twice the vector. The order in which
// a share is combined depends on the share: for commutative operators only.
func allreduceRing(t *Team) {
	n, size := len(t.args.Send.Data), t.args.Op.Size
	sum := t.args.Recv.Data[:n]
	copy(sum, t.args.Send.Data)
	part := func(i int) []byte {
		i = (i + 2*t.Size) % t.Size
		return sum[share(n/size, i, t.Size)*size : share(n/size, i+1, t.Size)*size]
	}
	buf := t.temp(len(part(0)))
	next, previous := t.neighbour(1), t.neighbour(-1)
	for i := range t.Size - 1 {
		in := part(t.Rank - i - 1)
		t.exchange(next, part(t.Rank-i), previous, buf[:len(in)])
		t.apply(in, buf[:len(in)])
	}
	for i := range t.Size - 1 {
		t.exchange(next, part(t.Rank+1-i), previous, part(t.Rank-i))
	}
}

// reduceScatterTree reduces to member 0, which sends each member its block.
func reduceScatterTree(t *Team) {
	a := &t.args
	result := t.up(0)
	if t.Rank != 0 {
		_, own := a.Send.block(t.Rank)
		t.recv(0, a.Recv.Data[:own])
		return
	}
	for member := range t.Size {
		start, length := a.Send.block(member)
		if member == 0 {
			copy(a.Recv.Data, result[start:][:length])
			continue
		}
		t.send(member, result[start:][:length])
	}
}

// reduceScatterPairwise sends each member this member's part of its block, and
// combines what it gets for its own. The parts come in the order of distance: for
// commutative operators only.
func reduceScatterPairwise(t *Team) {
	a := &t.args
	own := a.Send.Part(t.Rank)
	sum, buf := a.Recv.Data[:len(own)], t.temp(len(own))
	copy(sum, own)
	for d := 1; d < t.Size; d++ {
		to := t.neighbour(d)
		t.exchange(to, a.Send.Part(to), t.neighbour(-d), buf)
		t.apply(sum, buf)
	}
}

// scan is both scans: after round i, sum is the result of this member and the
// 2^(i+1)-1 before it, and before is the same without this member.
func scan(t *Team) {
	a := &t.args
	n := len(a.Send.Data)
	buf := t.temp(3 * n)
	sum, in, before := buf[:n:n], buf[n:2*n:2*n], buf[2*n:]
	copy(sum, a.Send.Data)
	for d := 1; d < t.Size; d *= 2 {
		from, to := t.Rank-d, t.Rank+d
		switch {
		case from >= 0 && to < t.Size:
			t.exchange(to, sum, from, in)
		case to < t.Size:
			t.send(to, sum)
		case from >= 0:
			t.recv(from, in)
		}
		if from < 0 {
			continue
		}
		// What came is of lower members: it goes in front.
		if d == 1 {
			copy(before, in)
		} else {
			t.prepend(before, in)
		}
		t.prepend(sum, in)
	}
	switch {
	case a.Kind == Scan:
		copy(a.Recv.Data, sum)
	case t.Rank > 0:
		copy(a.Recv.Data, before)
	}
}

// prepend sets sum = in op sum. It keeps in.
func (t *Team) prepend(sum, in []byte) {
	if t.args.Op.Commutative {
		t.apply(sum, in)
		return
	}
	left := append([]byte(nil), in...)
	t.apply(left, sum)
	copy(sum, left)
}
