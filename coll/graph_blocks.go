package coll

// Gather, Scatter, Allgather and Alltoall as graphs. Each block is copied once, from
// where it is to where it belongs. Members begin with those beside them, so that they do
// not all want the same one at a time.

func graphGather(b *builder) {
	t, a := b.t, &b.a
	if t.Rank != a.Root {
		b.sendBlock(a.Send.Data, a.Root)
		return
	}
	b.place(a.Recv.Part(t.Rank), a.Send.Data)
	for d := 1; d < t.Size; d++ {
		from := t.neighbour(d)
		b.recvBlock(a.Recv.Part(from), from)
	}
}

func graphScatter(b *builder) {
	t, a := b.t, &b.a
	if t.Rank != a.Root {
		b.recvBlock(a.Recv.Data, a.Root)
		return
	}
	b.place(a.Recv.Data, a.Send.Part(t.Rank))
	for d := 1; d < t.Size; d++ {
		to := t.neighbour(d)
		b.sendBlock(a.Send.Part(to), to)
	}
}

func graphAllgather(b *builder) {
	t, a := b.t, &b.a
	b.place(a.Recv.Part(t.Rank), a.Send.Data)
	for d := 1; d < t.Size; d++ {
		from, to := t.neighbour(-d), t.neighbour(d)
		b.recvBlock(a.Recv.Part(from), from)
		b.sendBlock(a.Send.Data, to)
	}
}

func graphAlltoall(b *builder) {
	t, a := b.t, &b.a
	b.place(a.Recv.Part(t.Rank), a.Send.Part(t.Rank))
	for d := 1; d < t.Size; d++ {
		from, to := t.neighbour(-d), t.neighbour(d)
		b.recvBlock(a.Recv.Part(from), from)
		b.sendBlock(a.Send.Part(to), to)
	}
}
