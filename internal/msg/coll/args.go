package coll

import (
	"errors"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/mpi/fault"
)

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
//	Scan            own                         own
//	Exscan          own                         own, but at the first
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

	// Mixed says that one member may have parts where another has none. All members give the
	// same.
	Mixed bool

	// Wrong is what the caller has found wrong with this call, if anything. The member
	// gets it as its error: see standin.go.
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

	// Inner tells that both know nothing but the buffers of the call.
	Inner bool
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

// size is the length that all members agree about in a regular call: of the whole
// vector, or of one block.
func (a *Args) size() int {
	switch a.Kind {
	case Bcast, Reduce, Allreduce, ReduceScatter, Scan, Exscan:
		return a.Send.Len()
	case Gather, Allgather:
		if a.InPlace {
			return a.Recv.each()
		}
		return a.Send.Len()
	case Scatter:
		if a.InPlace {
			return a.Send.each()
		}
		return a.Recv.Len()
	case Alltoall:
		return a.Send.each()
	}
	return 0
}

// agreed is size, and 0 if the call is irregular: then the members know different lengths.
func (a *Args) agreed() int {
	if a.Irregular {
		return 0
	}
	return a.size()
}

// own returns an error unless the block of a member for itself has the length of its place.
func (a *Args) own(place, block btl.Buffer) error {
	if place.Len() != block.Len() {
		what := "place for this rank's own block"
		if !a.Irregular {
			what += " (a count is that of one rank, not of all)"
		}
		return &fault.BufferError{What: what, Have: place.Len(), Need: block.Len(), Exact: true}
	}
	return nil
}

// empty tells whether the members of a call that was prepared know that none of them has
// any bytes to give or get: then they need not meet. n is agreed().
func (a *Args) empty(members, n int) bool {
	switch {
	case a.Kind == Barrier || a.Kind == None:
		return false
	case a.Kind == ReduceScatter:
		return a.Send.end(members) == 0
	case a.Irregular:
		return a.Kind == Allgather && a.Recv.longest(members) == 0
	}
	return n == 0
}

// copied tells whether what is sent has to be copied first, since it is in the place of
// the result.
func (a *Args) copied() bool { return a.InPlace && (a.Kind == ReduceScatter || a.Kind == Alltoall) }

// separate makes the copy.
func (a *Args) separate() {
	switch {
	case !a.copied():
	case a.typed():
		a.Send.flatten(true)
	default:
		a.Send.Data = append([]byte(nil), a.Send.Data...)
	}
}

// typed tells whether any memory of the call may have a layout.
func (a *Args) typed() bool { return a.Send.typed() || a.Recv.typed() }

// prepare checks a call and brings it into the form that the algorithms expect, in
// which InPlace has turned into buffers that are the same memory.
func (t *Team) prepare(a *Args) error {
	if a.Wrong != nil {
		return a.Wrong
	}
	if a.Kind.rooted() && (a.Root < 0 || a.Root >= t.Size) {
		return &fault.RankError{Rank: a.Root, Size: t.Size}
	}
	if err := a.checkParts(); err != nil {
		return err
	}
	if send, recv := a.Send.elements(), a.Recv.elements(); t.Check && !send.Matches(recv) {
		return &fault.ElementError{Sent: send, Received: recv}
	}
	if a.Kind == Exscan && t.Rank == 0 && !a.InPlace {
		a.InPlace, a.Recv = true, a.Send // it has no result
	}
	root := !a.Kind.rooted() || t.Rank == a.Root
	overlaps := root && a.overlap(t) // before prepareKind, which changes the buffers
	err := t.prepareKind(a, root)
	switch {
	case err != nil: // a wrong count comes first: it may be why the buffers overlap
	case overlaps:
		err = ErrOverlap
	case t.Check:
		err = t.receivesOnce(a)
	}
	return err
}

// prepareKind is what of prepare differs from kind to kind.
func (t *Team) prepareKind(a *Args, root bool) error {
	switch a.Kind {
	case ReduceScatter:
		return t.disjoint(a, root, t.prepareReduceScatter(a))
	case Gather, Allgather, Scatter, Alltoall:
		return t.disjoint(a, root, t.prepareBlocks(a, root))
	case Bcast:
		a.Recv.Data, a.Recv.Parts = a.Send.Data, a.Send.Parts
	case Reduce, Allreduce, Scan, Exscan:
		if a.InPlace {
			a.Send.Data = a.Recv.Data
		}
		if root {
			return a.Recv.need("receive buffer", len(a.Send.Data))
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
			a.Send.setOwn(a.Recv.PartOf(t.Rank))
		}
		return a.own(a.Recv.PartOf(t.Rank), a.Send.own())
	case Scatter:
		if !root {
			a.Send = Buffer{}
			return nil
		}
		if err := a.Send.fits("send buffer", t.Size); err != nil {
			return err
		}
		if a.InPlace {
			a.Recv.setOwn(a.Send.PartOf(t.Rank))
		}
		return a.own(a.Recv.own(), a.Send.PartOf(t.Rank))
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
		return a.own(a.Recv.PartOf(t.Rank), a.Send.PartOf(t.Rank))
	}
	return nil
}

// overlap tells whether the buffers of a regular call have bytes in common that one
// sends and the other receives. It is asked for calls that use both.
func (a *Args) overlap(t *Team) bool {
	if a.InPlace || a.Irregular || a.Kind == Bcast || a.typed() {
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
	s, r := cad.AddressOf(a), cad.AddressOf(b)
	return s != 0 && r != 0 && s < r+uint64(len(b)) && r < s+uint64(len(a))
}

func (t *Team) prepareReduceScatter(a *Args) error {
	if a.InPlace {
		n := a.Send.end(t.Size)
		if err := a.Recv.need("receive buffer", n); err != nil {
			return err
		}
		a.Send.Data = a.Recv.Data[:n]
	}
	if err := a.Send.fits("send buffer", t.Size); err != nil {
		return err
	}
	_, own := a.Send.block(t.Rank)
	return a.Recv.need("receive buffer", own)
}

// ErrOverlap means that a call would read what it overwrites.
var ErrOverlap = errors.New("the send and the receive buffer overlap: use others, or no send buffer (nil, in C " +
	"MPI_IN_PLACE) to send what is in the receive buffer")
