package coll

// Args is one call of a collective operation, as one member makes it.
//
// What the buffers hold depends on the kind. "Own" is one contiguous piece, "blocks"
// is one piece for each member, laid out as the Buffer says:
//
//	                Send                        Recv
//	Bcast           own, at the root            own, elsewhere
//	Reduce          own                         own, at the root
//	Allreduce       own                         own
//	ReduceScatter   blocks                      own
//	Scan, Exscan    own                         own
//	Gather          own                         blocks, at the root
//	Scatter         blocks, at the root         own
//	Allgather       own                         blocks
//	Alltoall        blocks                      blocks
//
// A Buffer that the table does not ask for is not looked at.
type Args struct {
	Kind Kind
	Root int // of the rooted kinds, by its place in the team
	Op   *Op // of the reducing kinds
	Send Buffer
	Recv Buffer

	// InPlace says that Send is not given and that its bytes are in Recv: those of
	// this member's block for Gather and Allgather, all of them for the others. For
	// Scatter at the root it is Recv that is not given, and the block stays in Send.
	InPlace bool

	// Irregular says that blocks differ in length (the v forms of MPI). All members
	// give the same. Without it all blocks have Block bytes, Counts is nil, and that
	// all members agree about the length is checked.
	Irregular bool

	// Wrong is what the caller has found wrong with this call, if anything. The member
	// gets it as its error, and the others learn that there is one.
	Wrong error

	Hooks
}

// Hooks are functions that a member has called around an operation, in its own calls:
// for data that passes through a buffer. nil ones are left out, and all are if the
// arguments are wrong.
type Hooks struct {
	// Before is called before anything that this member sends is read: by Run and
	// Neighbors, or at each issue of a graph.
	Before func()

	// After is called when all has been received and nothing is read any more, before
	// the operation is complete; not if it fails.
	After func()
}

func (h *Hooks) before() {
	if h.Before != nil {
		h.Before()
	}
}

func (h *Hooks) after() {
	if h.After != nil {
		h.After()
	}
}

// Buffer is memory with a layout. It is lent to the operation until that is over: to
// be read for Send, to be written for Recv.
type Buffer struct {
	Data  []byte
	Block int // length of each block in bytes, if Counts is nil

	// Counts and Displs have one entry for each member: length and start of its
	// block, in units of Unit bytes.
	Counts, Displs []int
	Unit           int
}

// block returns where the block of a member starts, and how long it is, in bytes.
func (b *Buffer) block(member int) (start, length int) {
	if b.Counts == nil {
		return member * b.Block, b.Block
	}
	return b.Displs[member] * b.Unit, b.Counts[member] * b.Unit
}

// Part returns the block of a member.
func (b *Buffer) Part(member int) []byte {
	start, length := b.block(member)
	if length == 0 {
		return nil
	}
	return b.Data[start:][:length]
}

// longest returns the length of the longest of so many blocks.
func (b *Buffer) longest(members int) int {
	if b.Counts == nil {
		return b.Block
	}
	most := 0
	for _, n := range b.Counts[:members] {
		most = max(most, n)
	}
	return most * b.Unit
}

// end returns where the last block of so many ends.
func (b *Buffer) end(members int) int {
	most := 0
	for i := range members {
		if b.Counts != nil && (i >= len(b.Counts) || i >= len(b.Displs)) {
			break // check will say so
		}
		start, length := b.block(i)
		most = max(most, start+length)
	}
	return most
}

// Check returns an error unless the blocks of all members lie within the data.
func (b *Buffer) Check(what string, members int) error {
	if b.Counts == nil {
		return need(what, len(b.Data), members*b.Block)
	}
	if len(b.Counts) != members || len(b.Displs) != members {
		return &ArgumentError{What: "number of counts and displacements of the " + what,
			Have: min(len(b.Counts), len(b.Displs)), Need: members}
	}
	for i, n := range b.Counts {
		// Dividing avoids an overflow of the product.
		room := len(b.Data) / max(b.Unit, 1)
		if at := b.Displs[i]; n < 0 || n > 0 && (at < 0 || at > room || n > room-at) {
			return &ArgumentError{What: what, Have: len(b.Data), Need: -1}
		}
	}
	return nil
}

// fits is Check for a buffer of which nothing is to be left over.
func (b *Buffer) fits(what string, members int) error {
	if n := members * b.Block; b.Counts == nil && len(b.Data) > n {
		return &ArgumentError{What: what, Have: len(b.Data), Need: n}
	}
	return b.Check(what, members)
}

func need(what string, have, need int) error {
	if have < need {
		return &ArgumentError{What: what, Have: have, Need: need}
	}
	return nil
}

// size is the length that all members agree about in a regular call: of the whole
// vector, or of one block.
func (a *Args) size() int {
	switch a.Kind {
	case Bcast, Reduce, Allreduce, Scan, Exscan:
		return len(a.Send.Data)
	case ReduceScatter:
		return len(a.Send.Data)
	case Gather, Allgather:
		if a.InPlace {
			return a.Recv.Block
		}
		return len(a.Send.Data)
	case Scatter:
		if a.InPlace {
			return a.Send.Block
		}
		return len(a.Recv.Data)
	case Alltoall:
		return a.Send.Block
	}
	return 0
}

// own returns an error unless the block of a member for itself has the length of its place.
func own(place, block []byte) error {
	if len(place) != len(block) {
		return &ArgumentError{What: "place for this rank's own block", Have: len(place), Need: len(block), Exact: true}
	}
	return nil
}

// empty tells whether the members of a call that was prepared know that none of them has
// any bytes to give or get: then they need not meet.
func (a *Args) empty(members int) bool {
	switch {
	case a.Kind == Barrier || a.Kind == None:
		return false
	case a.Kind == ReduceScatter:
		return a.Send.end(members) == 0
	case a.Irregular:
		return a.Kind == Allgather && a.Recv.longest(members) == 0
	}
	return a.size() == 0
}

// copied tells whether what is sent has to be copied first, since it is in the place of
// the result.
func (a *Args) copied() bool { return a.InPlace && (a.Kind == ReduceScatter || a.Kind == Alltoall) }

// separate makes the copy.
func (a *Args) separate() {
	if a.copied() {
		a.Send.Data = append([]byte(nil), a.Send.Data...)
	}
}

// prepare checks a call and brings it into the form that the algorithms expect, in
// which InPlace has turned into buffers that are the same memory.
func (t *Team) prepare(a *Args) error {
	if a.Wrong != nil {
		return a.Wrong
	}
	if a.Kind.rooted() && (a.Root < 0 || a.Root >= t.Size) {
		return &RankError{Rank: a.Root, Size: t.Size}
	}
	root := !a.Kind.rooted() || t.Rank == a.Root
	if root && a.overlap(t) {
		return ErrOverlap
	}
	switch a.Kind {
	case ReduceScatter:
		return t.prepareReduceScatter(a)
	case Gather, Allgather, Scatter, Alltoall:
		return t.prepareBlocks(a, root)
	case Bcast:
		a.Recv.Data = a.Send.Data
	case Reduce, Allreduce, Scan, Exscan:
		if a.InPlace {
			a.Send.Data = a.Recv.Data
		}
		if root {
			return need("receive buffer", len(a.Recv.Data), len(a.Send.Data))
		}
	}
	return nil
}

// prepareBlocks is prepare for the kinds that move blocks.
func (t *Team) prepareBlocks(a *Args, root bool) error {
	switch a.Kind {
	case Gather, Allgather:
		if !root {
			a.Recv = Buffer{}
			return nil
		}
		if err := a.Recv.Check("receive buffer", t.Size); err != nil {
			return err
		}
		if a.InPlace {
			a.Send.Data = a.Recv.Part(t.Rank)
		}
		return own(a.Recv.Part(t.Rank), a.Send.Data)
	case Scatter:
		if !root {
			a.Send = Buffer{}
			return nil
		}
		if err := a.Send.fits("send buffer", t.Size); err != nil {
			return err
		}
		if a.InPlace {
			a.Recv.Data = a.Send.Part(t.Rank)
		}
		return own(a.Recv.Data, a.Send.Part(t.Rank))
	case Alltoall:
		if a.InPlace {
			a.Send = a.Recv
		}
		if err := a.Send.fits("send buffer", t.Size); err != nil {
			return err
		}
		if err := a.Recv.fits("receive buffer", t.Size); err != nil {
			return err
		}
		return own(a.Recv.Part(t.Rank), a.Send.Part(t.Rank))
	}
	return nil
}

// overlap tells whether the buffers of a regular call have bytes in common that one
// sends and the other receives. It is asked for calls that use both.
func (a *Args) overlap(t *Team) bool {
	if a.InPlace || a.Irregular || a.Kind == Bcast {
		return false
	}
	send, recv := a.Send.Data, a.Recv.Data
	switch a.Kind {
	case Reduce, Allreduce, Scan, Exscan:
		recv = recv[:min(len(recv), len(send))]
	case ReduceScatter:
		if a.Send.Counts == nil {
			recv = recv[:min(len(recv), a.Send.Block)]
		}
	case Alltoall:
		send, recv = send[:min(len(send), t.Size*a.Send.Block)], recv[:min(len(recv), t.Size*a.Recv.Block)]
	case Gather, Allgather:
		recv = recv[:min(len(recv), t.Size*a.Recv.Block)]
	case Scatter:
		send = send[:min(len(send), t.Size*a.Send.Block)]
	}
	return meets(send, recv)
}

// meets tells whether two buffers have bytes in common.
func meets(a, b []byte) bool {
	s, r := address(a), address(b)
	return s != 0 && r != 0 && s < r+uint64(len(b)) && r < s+uint64(len(a))
}

func (t *Team) prepareReduceScatter(a *Args) error {
	if a.InPlace {
		n := a.Send.end(t.Size)
		if err := need("receive buffer", len(a.Recv.Data), n); err != nil {
			return err
		}
		a.Send.Data = a.Recv.Data[:n]
	}
	if err := a.Send.fits("send buffer", t.Size); err != nil {
		return err
	}
	_, own := a.Send.block(t.Rank)
	return need("receive buffer", len(a.Recv.Data), own)
}
