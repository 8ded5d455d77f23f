package cad

import (
	"slices"

	"github.com/gopvas/gopvas/pml"
)

// What ranks tell one another about graphs that are progressed by messages. All of this
// file runs under the lock of the engine for messages.
//
// Messages alone do not tell that graphs do not fit: who waits for one that nobody sends,
// because the sender's graph is another, waits forever. So a rank whose wait lasts asks those
// it waits for. They hear that in whatever call they are, and answer what their graph of this
// number stands for, and how many nodes it has for the one that asks, or that they are
// through with it: as what they have sent comes before the answer, the other then knows
// whether there is anything left that will not come. Who has not come to it yet answers when
// it does. What no answer comes to is a rank that makes no call any more, or never issues as
// many graphs. And a message for which there is no RECV is told from one that comes early.
//
// A context may be used again by another channel while questions and answers of the former
// one are on their way. That is why it is the one who asks who decides: an answer that it has
// not asked for on this channel it does not heed. A channel on which there was something
// wrong to tell is not used again: see Forget.

// What a notice is about.
const (
	tellFault  = iota // Word: the detail; what the sender's graph suffers from
	tellBroken        // likewise; the sender has ended the channel
	tellWait          // the sender waits for this rank
	tellHere          // Word: what the sender's graph stands for; see here
	arrived           // no notice but a message that nobody waits for; Word: the sender's call
)

// Kinds of notices are what they are about, the kind of fault, and the rank that it names.
const (
	aboutBits = 3
	faultBits = 3
)

// short is a number as notices and messages carry it.
func short(number uint32) uint32 { return number & (1<<30 - 1) }

// heard is a notice.
type heard struct {
	from int
	pml.Notice
}

func (n heard) about() uint32 { return n.Kind & (1<<aboutBits - 1) }
func (n heard) more() uint32  { return n.Kind >> aboutBits }

// failure returns what a notice tells.
func (n heard) failure() failure {
	f := failure{fault: fault(n.more()&(1<<faultBits-1))<<32 | fault(n.more()>>faultBits)}
	switch f.kind() {
	case faultCall:
		f.fault |= fault(n.from) << 16
		f.detail = [2]uint64{n.Word, refusedCall}
	case faultSize, faultPairs:
		f.detail = [2]uint64{high(n.Word), low(n.Word)}
	}
	return f
}

// warn tells a rank of a failure. If it is that two calls differ it tells both, and the
// rank takes the one that is not its own.
func (e *Engine) warn(c *Channel, to int, number, about uint32, f failure) {
	say := func(rank int, word uint64) {
		e.messages.Inside().Tell(c.Context, to, pml.Notice{
			Kind:   about | (uint32(f.fault>>32)|uint32(rank)<<faultBits)<<aboutBits,
			Number: short(number), Word: word,
		})
	}
	if f.kind() == faultCall {
		say(f.rank(), f.detail[0])
		if f.detail[1] != refusedCall {
			say(f.other(), f.detail[1])
		}
		return
	}
	say(f.rank(), join(f.detail[0], low(f.detail[1])))
}

// here is what an answer says beside the call: how many SEND and RECV nodes the graph has
// for the one that asks, or as many as can be told, or that the rank is through with it.
type here uint32

const (
	hereBits = 13
	most     = 1<<hereBits - 1

	throughWith here = 1 << (2 * hereBits)
)

func (r *run) here(rank int) here {
	return here(min(r.nodes(Send, rank), most)<<hereBits | min(r.nodes(Recv, rank), most))
}

func (h here) sends() uint32    { return uint32(h) >> hereBits & most }
func (h here) receives() uint32 { return uint32(h) & most }

// tell says, once, what is wrong with the graph: to all that get data from here, and to the
// sender of a message of the wrong length, or of another call.
func (r *run) tell() {
	s, m := r.shared, &r.mail
	if s.fault.Load() == 0 || m.told {
		return
	}
	m.told = true
	r.record.warned.Store(1)
	f := s.failure()
	base := uint32(r.image.count)
	for i := range uint32(r.image.peers) {
		key := word(r.image.aux, base+i*peerWords).Load()
		rank := int(key >> 1)
		from := f.kind() == faultSize && f.rank() == rank || f.kind() == faultCall && (f.rank() == rank || f.other() == rank)
		if rank != r.e.rank && (key&1 == 0 || from) {
			r.e.warn(r.channel, rank, r.number, tellFault, f)
		}
	}
}

// nodes returns how many nodes of a kind the graph has for a rank.
func (r *run) nodes(kind Kind, rank int) uint32 {
	p, _, _ := r.shared.ports(r.issue, kind, uint32(rank))
	return p.count
}

// patience is how often one who does not sleep looks before it asks.
const patience = 1 << 14

// Lasting implements pml.Task.
func (r *run) Lasting() {
	m := &r.mail
	if r.e.direct || m.lasting || !m.begun {
		return
	}
	m.lasting = true
	for _, l := range m.active {
		r.ask(int(pairOf(l.n.arg).rank))
	}
}

// ask asks a rank, once, whether what the graph waits for can come.
func (r *run) ask(rank int) {
	m := &r.mail
	if rank == r.e.rank || slices.Contains(m.asked, rank) {
		return
	}
	m.asked = append(m.asked, rank)
	r.e.messages.Inside().Tell(r.channel.Context, rank, pml.Notice{Kind: tellWait, Number: short(r.number)})
}

// Hear implements pml.Listener.
func (e *Engine) Hear(from int, context uint32, n pml.Notice) { e.hear(context, heard{from, n}) }

// Unexpected implements pml.Listener.
func (e *Engine) Unexpected(from int, context uint32, tag int, m pml.Mark) {
	port := uint32(tag & (1<<portBits - 1))
	e.hear(context, heard{from, pml.Notice{Kind: arrived | port<<aboutBits, Number: m.Number, Word: m.Word}})
}

// hear heeds a notice, or keeps it if it comes too early.
func (e *Engine) hear(context uint32, n heard) {
	e.mu.Lock()
	rec, c := e.records[context], e.channels[context]
	var number uint32
	if c != nil {
		issued := rec.issued.Load()
		ahead := int32((n.Number-issued)<<2) >> 2
		number = issued + uint32(ahead)
		if ahead >= 0 && n.about() != tellBroken {
			c = nil
		}
	}
	if c == nil {
		e.held[context] = append(e.held[context], n)
		e.mu.Unlock()
		return
	}
	var r *run // nil: this rank is through with it
	if at := rec.ring[number%ringSize].Load(); entryIs(at, number) {
		r = e.runs[entrySlot(at)].Load()
	}
	e.mu.Unlock()
	e.heed(c, rec, r, number, n)
}

// hearAgain hears what came too early, as far as it still does not.
func (e *Engine) hearAgain(context uint32) {
	e.mu.Lock()
	early := e.held[context]
	delete(e.held, context)
	e.mu.Unlock()
	for _, n := range early {
		e.hear(context, n)
	}
}

// heed does what a notice asks for.
func (e *Engine) heed(c *Channel, rec *record, r *run, number uint32, n heard) {
	call, known := rec.call(number)
	switch n.about() {
	case tellFault, tellBroken:
		f := n.failure()
		switch {
		case f.kind() == faultCall && known && n.Word == call:
		case n.about() == tellBroken:
			rec.ruin(f, number)
		case r != nil:
			r.shared.note(f)
			r.tell()
		}
	case tellWait:
		h := throughWith
		if r != nil {
			h = r.here(n.from)
		} else if !known {
			return // so long ago that the other one has long been told
		}
		e.messages.Inside().Tell(c.Context, n.from, pml.Notice{
			Kind: tellHere | uint32(h)<<aboutBits, Number: short(number), Word: call})
	case tellHere:
		if r != nil && slices.Contains(r.mail.asked, n.from) {
			r.learn(n)
		}
	case arrived:
		if r == nil || n.more() >= r.nodes(Recv, n.from) {
			e.disown(c, rec, number, n)
		}
	}
}

// learn is for the answer of a rank that this one waits for.
func (r *run) learn(n heard) {
	f, theirs, own := between(r.e.rank, r.call(), n.from, n.Word), here(n.more()), r.here(n.from)
	differ := f.kind() == faultCall
	if f.fault != 0 && r.e.options.Check {
		return // GATE ends both
	}
	if f.fault == 0 {
		f = failure{fault: faultPairs | fault(n.from)}
	}
	switch {
	case !differ && theirs&throughWith != 0:
		r.mail.through = append(r.mail.through, through{n.from, f})
	case !differ && theirs.receives() >= own.sends() && theirs.sends() >= own.receives():
	default:
		r.e.endChannel(r.channel, r.record, f, r.number)
	}
}

// disown ends the channel because of a message for which this rank has no RECV: its graph has
// none with this number, or it is through with that and so with all its RECV nodes.
func (e *Engine) disown(c *Channel, rec *record, number uint32, n heard) {
	call, known := rec.call(number)
	f := between(e.rank, call, n.from, n.Word)
	if f.fault == 0 || !known {
		f = failure{fault: faultPairs | fault(n.from)}
	}
	e.endChannel(c, rec, f, number)
}

// endChannel ends the channel for all members.
func (e *Engine) endChannel(c *Channel, rec *record, f failure, number uint32) {
	if !rec.ruin(f, number) {
		return
	}
	rec.warned.Store(1)
	for member := range c.Size {
		if rank := c.world(member); rank != e.rank {
			e.warn(c, rank, number, tellBroken, f)
		}
	}
}

// through is a rank that is through with its graph of a number, and what is wrong if there
// is a message left for it or from it.
type through struct {
	rank int
	why  failure
}

// giveUpLetters ends the channel if there is a message left for or from a rank that is
// through: all that it has sent was here before it said so, and all that it has received is
// settled.
func (r *run) giveUpLetters() {
	for _, l := range r.mail.active {
		for _, t := range r.mail.through {
			if t.rank == int(pairOf(l.n.arg).rank) && !r.e.messages.Inside().Met(&l.request) {
				r.e.endChannel(r.channel, r.record, t.why, r.number)
				return
			}
		}
	}
}
