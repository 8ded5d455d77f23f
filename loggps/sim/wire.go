package sim

import (
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// A wire, the way into a rank, or between nodes into a NIC of the node, carries the bytes of one message at a time. The
// bytes of each take it for as long as they do alone. So messages to one receiver share its bandwidth: sections 3 and
// 4.3 of the paper. There the user counts the messages, and multiplies the gap of a byte. Of p messages that come
// together the last is there after the time that the paper gives to each, and the others earlier.
//
// Messages book the wire in the order in which their first bytes come, also those of the data of a rendezvous. What a
// wire remembers is the last time in which it had no pause. A message that began before it has used the time in front
// of it.

// A wire is the way into a rank, or into a NIC of a node.
type wire struct {
	from, free float64 // when it was last busy without a pause; each plus L, when bytes are there
	last       uint32  // the send that ends that time
}

// behind is a message that waits for the wire.
type behind struct {
	there float64 // when all of it is there
	last  uint32  // the send that it follows
	early float64 // how much of it came before the busy time
}

// A gap is the way out of a rank, or of a NIC of a node, in LogGP: the bytes of a message begin there when those of the
// one before are gone. Their order is that of the calls.
type gap struct {
	there float64 // when all of the last message is there, if it waits for no other wire
	last  uint32  // that message; of a message that has waited the one before it
}

// makeWires makes a wire for each NIC of each rank and node.
func (e *engine) makeWires() {
	if e.opt.Mode == LogGOPS || e.opt.Unshared || e.opt.Ideal {
		return
	}
	e.wireNICs = e.g.NICs()
	if e.wireNICs > graph.Free { // messages that cost nothing take no wire
		e.wireNICs = 1
		for id := range graph.ID(e.g.Len()) {
			if nic := e.g.Op(id).NIC; nic != graph.Free {
				e.wireNICs = max(e.wireNICs, int(nic)+1)
			}
		}
	}
	e.wires, e.queued = make([]wire, (e.g.Ranks()+e.nodes)*e.wireNICs), map[uint32]behind{}
	if e.opt.Mode == logGP {
		e.outs, e.gone = make([]gap, len(e.wires)), map[uint32]gap{}
	}
}

// wireOf returns the number of the wire of a message at its sender or receiver: those of ranks are followed by those of
// nodes.
func (e *engine) wireOf(send *graph.Op, rank int32) int {
	at := int(rank)
	if m := &e.opt.Machine; m.LinkOf(int(send.Rank), int(send.Peer), send.NIC) > 0 {
		at = e.g.Ranks() + m.Nodes[rank]
	}
	return at*e.wireNICs + int(send.NIC)
}

// leaves takes the way out of its sender for a message that alone would be there at a time, and returns when it is.
func (e *engine) leaves(id uint32, op *graph.Op, alone float64) float64 {
	if e.outs == nil || !e.takesWire(op) {
		return alone
	}
	work := occupied(e.link(op), op.Size)
	if !(work > 0) {
		return alone
	}
	out, there := &e.outs[e.wireOf(op, op.Rank)], alone
	if alone-work < out.there {
		there = out.there + work
		e.gone[id] = gap{there, out.last}
	}
	*out = gap{there, id}
	return there
}

// occupied is for how long a message takes the wire. What a residual adds to its transit delays no other message.
func occupied(p *loggps.Params, size int64) float64 {
	bare := p.T2(float64(size))
	if size > p.Packet {
		bare = p.T2Long(float64(size))
	}
	return min(bare, p.Transit(size)) - p.L
}

// takesWire tells whether a message shares a wire with others.
func (e *engine) takesWire(op *graph.Op) bool {
	return e.wires != nil && op.NIC != graph.Free && op.Rank != op.Peer
}

// book takes the wire for a message that alone would be there at a time, and returns when it is.
func (e *engine) book(id uint32, op *graph.Op, alone float64) float64 {
	if !e.takesWire(op) {
		return alone
	}
	p := e.link(op)
	work := occupied(p, op.Size)
	if !(work > 0) {
		return alone
	}
	w, begin := &e.wires[e.wireOf(op, op.Peer)], alone-work
	switch {
	case begin >= w.free:
		*w = wire{begin, alone, id}
		return alone
	case alone <= w.from:
		return alone
	}
	early := max(w.from-begin, 0)
	there := w.free + work - early
	e.queued[id] = behind{there, w.last, early}
	*w = wire{min(w.from, begin), there, id}
	return there
}

// delivery is when all of an eager message is there.
func (e *engine) delivery(id uint32, op *graph.Op) float64 {
	if q, ok := e.queued[id]; ok {
		return q.there
	}
	if late, ok := e.gone[id]; ok {
		return late.there
	}
	p := e.link(op)
	return e.ops[id].at + p.T1(float64(op.Size)) + p.Transit(op.Size)
}
