package pml

import "github.com/gopvas/gopvas/btl"

// Matching. A message belongs to a receive if the contexts are equal, the receive
// names the message's source or AnySource, and its tag or AnyTag. MPI 4.1 section
// 3.5 wants more than that:
//
//   - Of the receives that match an arriving message, the one posted first gets it.
//   - Of the messages that match a receive, those of one source are taken in the
//     order in which they were sent (non-overtaking). The BTL delivers them so.
//   - Which of two sources comes first is free. Here it is the one whose message
//     arrived first, so a receive from AnySource starves nobody.
//
// A matcher is the state of one context: receives that wait for a message (posted),
// and messages that wait for a receive (unexpected). A receive that names its
// source stands in that source's queue, one that does not in the queue of
// wildcards; all carry a number in the order of posting, by which a message that
// finds a receive in both queues decides. A message stands in two queues, its
// source's and that of all arrivals. So the search is as long as the number of
// entries for one source (plus the wildcards) that have another tag.
//
// Invariant: no posted receive matches an unexpected message. It holds because a
// receive looks at the unexpected messages before it is posted, and a message at
// the posted receives before it is added, both under the engine's lock.

// Wildcards, and the rank that nobody is. All differ, so that a source and a tag in the
// wrong order are an error.
const (
	AnySource = -1 // receives from whatever rank sends first
	ProcNull  = -2 // sends to it and receives from it are over at once and move nothing
	AnyTag    = -3 // receives a message of any tag
)

// matcher is the matching state of one context. It is guarded by the engine's lock.
type matcher struct {
	context uint32
	sources table
	wild    list[operation] // posted receives from AnySource, in the order of posting
	probes  list[operation] // probes that block until a message they match is added
	arrived list[message]   // unexpected messages of all sources, in the order of arrival
	posts   uint64          // number of receives posted so far
}

// source is a matcher's record of one rank.
type source struct {
	posted     list[operation] // receives from this rank, in the order of posting
	unexpected list[message]   // messages from it, in the order of arrival
}

// origin is where the bytes of an unexpected message are, and so what is due when
// they are consumed.
type origin uint8

const (
	delivered  origin = iota // in the frame: Release it
	offered                  // with the sender: Accept the frame
	fromSelf                 // copied from a send of this rank, which is over
	heldBySelf               // in the buffer of a send of this rank, which is held
)

// message is a message that has no receive yet: it is unexpected, or was taken by a
// matched probe. Messages are used again.
type message struct {
	inAll, inSource node[message] // inAll also in the pool
	frame           btl.Frame     // a copy of the module's
	origin          origin
	sender          *operation // heldBySelf
	copied          []byte     // bytes that the frame does not keep
	number          uint32     // in the trace
	generation      uint32     // how often the message was discarded; see Message
}

// accepts tells whether the operation, whose source fits, takes this tag.
func (op *operation) accepts(tag int32) bool { return op.tag == AnyTag || op.tag == tag }

// post adds a receive that matches no unexpected message.
func (m *matcher) post(op *operation) { m.postTo(m.queue(op), op) }

// postTo is post to the list in which the receive is to stand.
func (m *matcher) postTo(l *list[operation], op *operation) {
	op.posted, op.state = m.posts, posted
	m.posts++
	l.push(&op.node)
}

// withdraw takes a posted receive or a blocked probe out again.
func (m *matcher) withdraw(op *operation) { m.queue(op).remove(&op.node) }

// queue returns the list in which the operation stands or is to stand.
func (m *matcher) queue(op *operation) *list[operation] {
	switch {
	case op.kind != receiving:
		return &m.probes
	case op.peer == AnySource:
		return &m.wild
	}
	return &m.sources.at(op.peer).posted
}

// match finds the receive that a message of this source and tag belongs to and
// takes it out, or returns nil.
func (m *matcher) match(from, tag int32) *operation {
	s := m.sources.at(from)
	n := first(s.posted.head, tag)
	if m.wild.head != nil { // else the usual case is short
		if w := first(m.wild.head, tag); w != nil && (n == nil || w.of.posted < n.of.posted) {
			m.wild.remove(w)
			return w.of
		}
	}
	if n == nil {
		return nil
	}
	s.posted.remove(n)
	return n.of
}

// first returns the first receive from n on that takes this tag.
func first(n *node[operation], tag int32) *node[operation] {
	for n != nil && !n.of.accepts(tag) {
		n = n.next
	}
	return n
}

// add notes a message that matches no posted receive.
func (m *matcher) add(msg *message) {
	m.arrived.push(&msg.inAll)
	m.sources.at(msg.frame.Source).unexpected.push(&msg.inSource)
}

// find returns the message that a receive of this source and tag would get, which
// stays where it is, or nil.
func (m *matcher) find(from, tag int32) *message {
	if m.arrived.head == nil {
		return nil // the usual case, without a look at the source
	}
	return m.search(from, tag)
}

// search is find among the messages that there are.
func (m *matcher) search(from, tag int32) *message {
	n := m.arrived.head
	if from != AnySource {
		n = m.sources.at(from).unexpected.head
	}
	for n != nil && tag != AnyTag && n.of.frame.Tag != tag {
		n = n.next
	}
	if n == nil {
		return nil
	}
	return n.of
}

// take removes an unexpected message.
func (m *matcher) take(msg *message) {
	m.arrived.remove(&msg.inAll)
	m.sources.at(msg.frame.Source).unexpected.remove(&msg.inSource)
}

// each calls do with every posted receive and blocked probe, which may withdraw
// the one it is called with.
func (m *matcher) each(do func(*operation)) {
	walk(&m.wild, do)
	walk(&m.probes, do)
	for _, p := range m.sources.pages {
		if p == nil {
			continue
		}
		for i := range p {
			walk(&p[i].posted, do)
		}
	}
}

func walk(l *list[operation], do func(*operation)) {
	for n := l.head; n != nil; {
		next := n.next
		do(n.of)
		n = next
	}
}

// pageSources is the number of sources per page of a table. A page is 2 KiB.
const pageSources = 64

// table finds the source of a number. Only the pages that hold a source which has
// been asked for exist, so ranks that never talk cost eight bytes per pageSources.
type table struct {
	pages []*[pageSources]source
}

func newTable(size int) table {
	return table{make([]*[pageSources]source, (size+pageSources-1)/pageSources)}
}

// at returns the source; the number is one of a rank of the job.
func (t *table) at(rank int32) *source {
	p := t.pages[uint32(rank)/pageSources]
	if p == nil {
		p = new([pageSources]source)
		t.pages[uint32(rank)/pageSources] = p
	}
	return &p[uint32(rank)%pageSources]
}
