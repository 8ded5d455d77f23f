package coll

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/node/job"
)

// direct does the call on the team's board: all arrive, and share the work. See doc.go.
func direct(t *Team) { t.board.Call() }

// makeBoard makes the board of a team that shares memory. The memory is mapped at the first call there.
func (t *Team) makeBoard() {
	m := t.Engine.Routes().Memory(t.World)
	if m == nil {
		return
	}
	t.near = numa.Of(t.Job, t.world(t.Rank))
	t.board = board.New(board.Members{Engine: t.Engine, Job: t.Job, Rank: t.Rank, Size: t.Size, World: t.World,
		Oversubscribed: oversubscribed(t, 0), Flat: slices.Contains(t.Choice.Blocking[:], "flat"), Direct: m.Direct(),
		Pool: t.Boards, Failure: &t.failure, Broken: &t.broken, Revoked: t.Revoked}, (*caller)(t))
}

// ReserveBoard allocates a board for another team of the same members: see board.Board.Reserve. It returns the zero
// value, too, if the members share no memory, or this one is alone.
func (t *Team) ReserveBoard() BoardMemory {
	if t.connect(); t.board == nil || t.Size == 1 {
		return BoardMemory{}
	}
	return t.board.Reserve()
}

// BoardAt says where the board of the team is, so that its first call has not to tell it by messages. m is from
// ReserveBoard, at member 0, and word is its Word.
func (t *Team) BoardAt(m BoardMemory, word uint64) {
	if t.connect(); t.board != nil {
		t.board.Place(m, word)
	}
}

// caller is a team as its board sees it.
type caller Team

// leak is memory of a call that was given up: other members may still use it.
type leak struct {
	args Args
	refs [2][]btl.Ref
}

// Tell implements board.Caller.
func (c *caller) Tell(buf []byte) error { return (*Team)(c).tell(buf) }

// Count implements board.Caller.
func (c *caller) Count() { (*Team)(c).count() }

// Signature implements board.Caller.
func (c *caller) Signature() uint64 { return c.call }

// Waiting implements board.Caller.
func (c *caller) Waiting() job.Waiting {
	w, need := job.Waiting{Context: c.Context}, job.NeedAll
	if k := c.args.Kind; k.chained() && c.chosen[k].algorithm.ahead {
		need = job.NeedPeers // each member waits for members of its own
	}
	(*Team)(c).sayCall(&w, need)
	return w
}

// Keep implements board.Caller.
func (c *caller) Keep() {
	c.leaked = append(c.leaked, leak{c.args, c.refs})
	c.refs = [2][]btl.Ref{}
}

// Announce implements board.Caller.
func (c *caller) Announce(n *board.Record) {
	a := &c.args
	n.Word, n.Size = c.call, uint64(c.size)
	n.Source, n.Sent = cad.AddressOf(a.Send.Data), uint64(len(a.Send.Data))
	n.Result, n.Wanted = cad.AddressOf(a.Recv.Data), uint64(len(a.Recv.Data))
	n.Send, n.Recv = a.Send.layout(&c.refs[0]), a.Recv.layout(&c.refs[1])
	c.settle()
	if a.Irregular {
		n.Longest = uint64(max(a.Send.Len(), a.Recv.longest(c.Size)))
		if a.Kind == Scatter || a.Kind == Alltoall {
			n.Longest = uint64(a.Send.longest(c.Size))
		}
	}
}

// settle has this member's result lie near it: any member may write it.
func (c *caller) settle() {
	r := &c.args.Recv
	if c.near == nil {
		return
	}
	for i := range r.Parts {
		c.near.Settle(&r.Parts[i], r.Parts[i].Len())
	}
	if !r.typed() {
		c.near.Settle(&btl.Buffer{Bytes: r.Data}, len(r.Data))
	}
}

func (b *Buffer) layout(refs *[]btl.Ref) board.Layout {
	if b.typed() {
		return board.Parts(b.Parts, refs)
	}
	return board.Blocks(b.Block, b.Unit, b.Counts, b.Displs)
}

// Share implements board.Caller. The last arriver does the work alone if it is little.
func (c *caller) Share(typed int) (units int) {
	t := (*Team)(c)
	if t.conveys {
		t.combine()
		return 0
	}
	p, units := t.makePlan(typed)
	if units == 0 {
		return 0
	}
	if *t.board.Plan() = p; !t.solo(units) {
		return units
	}
	for i := range units {
		t.unit(i)
	}
	return 0
}

// Unit implements board.Caller.
func (c *caller) Unit(i int) { (*Team)(c).unit(i) }
