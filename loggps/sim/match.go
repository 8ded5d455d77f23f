package sim

import "github.com/gopvas/gopvas/loggps/graph"

// A matcher holds the messages that wait for their receives and the receives that wait
// for their messages, and finds the oldest that fits. The queues run through the states of
// the operations, so they take no memory of their own.
//
// A rank without wildcards spreads source and tag over several buckets, so that long
// queues are not searched from end to end. With wildcards it has one bucket, which keeps
// the order of all.
type matcher struct {
	first   []uint32 // by rank: its first bucket
	mask    []uint32 // by rank: how many buckets it has, less one
	buckets []bucket
}

type bucket struct{ messages, receives queue }

// queue is a list of operations, linked by state.link. The numbers are one too high, so
// that 0 is the end.
type queue struct{ head, tail uint32 }

const maxBuckets = 1024

func newMatcher(g *graph.Graph) *matcher {
	m := &matcher{first: make([]uint32, g.Ranks()), mask: make([]uint32, g.Ranks())}
	total := uint32(0)
	for r := range g.Ranks() {
		n := uint32(1)
		for !g.Wildcards(r) && n < maxBuckets && int(n)*8 < g.Of(r).Len() {
			n *= 2
		}
		m.first[r], m.mask[r] = total, n-1
		total += n
	}
	m.buckets = make([]bucket, total)
	return m
}

// bucket returns the bucket of a receiver's messages from a source with a tag.
func (m *matcher) bucket(receiver, source, tag int32) *bucket {
	h := (uint32(source)*0x9E3779B1 + uint32(tag)*0x85EBCA77)
	h ^= h >> 15
	return &m.buckets[m.first[receiver]+h&m.mask[receiver]]
}

func fits(receive, send *graph.Op) bool {
	return (receive.Peer == graph.Any || receive.Peer == send.Rank) &&
		(receive.Tag == graph.Any || receive.Tag == send.Tag)
}

// message looks for the receive of a message that has arrived; if there is none, the
// message waits.
func (e *engine) message(id uint32, op *graph.Op) (receive uint32, ok bool) {
	b := e.match.bucket(op.Peer, op.Rank, op.Tag)
	before := uint32(0)
	for at := b.receives.head; at != 0; before, at = at, e.ops[at-1].link() {
		if fits(e.g.Op(graph.ID(at-1)), op) {
			e.remove(&b.receives, before, at)
			return at - 1, true
		}
	}
	e.append(&b.messages, id)
	return 0, false
}

// receive looks for the message of a receive that has begun; if there is none, the
// receive waits.
func (e *engine) receive(id uint32, op *graph.Op) (send uint32, ok bool) {
	b := e.match.bucket(op.Rank, op.Peer, op.Tag)
	before := uint32(0)
	for at := b.messages.head; at != 0; before, at = at, e.ops[at-1].link() {
		if fits(op, e.g.Op(graph.ID(at-1))) {
			e.remove(&b.messages, before, at)
			return at - 1, true
		}
	}
	e.append(&b.receives, id)
	return 0, false
}

func (e *engine) append(q *queue, id uint32) {
	e.ops[id].setLink(0)
	if q.tail == 0 {
		q.head = id + 1
	} else {
		e.ops[q.tail-1].setLink(id + 1)
	}
	q.tail = id + 1
}

func (e *engine) remove(q *queue, before, at uint32) {
	next := e.ops[at-1].link()
	if before == 0 {
		q.head = next
	} else {
		e.ops[before-1].setLink(next)
	}
	if q.tail == at {
		q.tail = before
	}
}
