package match

import (
	"iter"

	"github.com/gopvas/gopvas/internal/msg/pml/list"
)

// Wildcards, and the rank that nobody is. All differ, so that a source and a tag in the
// wrong order are an error.
const (
	AnySource = -1 // receives from whatever rank sends first
	ProcNull  = -2 // sends to it and receives from it are over at once and move nothing
	AnyTag    = -3 // receives a message of any tag
)

// Context is the matching state of one context: receives that wait for a message (posted), and messages that wait for
// a receive (unexpected). R is what the caller has of a receive, M what it has of a message.
type Context[R, M any] struct {
	number  uint32
	sources table[R, M]
	wild    list.List[Receive[R]] // posted receives from AnySource, in the order of posting
	probes  list.List[Receive[R]] // probes that block until a message they match is added
	arrived list.List[Message[M]] // unexpected messages of all sources, in the order of arrival
	posts   uint64                // number of receives posted so far
}

// Receive is the part of a receive, or of a probe that blocks, that matching needs. It stands in one queue at most.
type Receive[R any] struct {
	node  list.Node[Receive[R]]
	of    *R
	Peer  int32 // the source, or AnySource
	Tag   int32 // or AnyTag
	order uint64
	probe bool
}

// Message is the part of a message that matching needs.
type Message[M any] struct {
	inAll, inSource list.Node[Message[M]]
	of              *M
	Source, Tag     int32
}

// source is what a context has of one rank.
type source[R, M any] struct {
	posted     list.List[Receive[R]] // receives from this rank, in the order of posting
	unexpected list.List[Message[M]] // messages from it, in the order of arrival
}

// Init says once what the receive is a part of.
func (r *Receive[R]) Init(of *R) { r.node.Of, r.of = r, of }

// Init says once what the message is a part of.
func (m *Message[M]) Init(of *M) { m.inAll.Of, m.inSource.Of, m.of = m, m, of }

// Takes tells whether the receive, whose source fits, takes this tag.
func (r *Receive[R]) Takes(tag int32) bool { return r.Tag == AnyTag || r.Tag == tag }

// Post adds a receive that matches no unexpected message.
func (c *Context[R, M]) Post(r *Receive[R]) {
	r.order, r.probe = c.posts, false
	c.posts++
	if r.Peer == AnySource {
		c.wild.Push(&r.node)
	} else {
		c.sources.at(r.Peer).posted.Push(&r.node)
	}
}

// Await adds a probe that matches no unexpected message.
func (c *Context[R, M]) Await(probe *Receive[R]) {
	probe.probe = true
	c.probes.Push(&probe.node)
}

// Withdraw takes a posted receive, or a probe that waits, out again.
func (c *Context[R, M]) Withdraw(r *Receive[R]) { c.queue(r).Remove(&r.node) }

// queue returns the list in which the receive or probe stands, or is to stand.
func (c *Context[R, M]) queue(r *Receive[R]) *list.List[Receive[R]] {
	switch {
	case r.probe:
		return &c.probes
	case r.Peer == AnySource:
		return &c.wild
	}
	return &c.sources.at(r.Peer).posted
}

// Arrive takes out the receive that a message of this source and tag belongs to, and returns it; nil if there is none.
func (c *Context[R, M]) Arrive(from, tag int32) *R {
	s := c.sources.at(from)
	n := first(s.posted.Head(), tag)
	if !c.wild.Empty() { // else the usual case is short
		if w := first(c.wild.Head(), tag); w != nil && (n == nil || w.Of.order < n.Of.order) {
			c.wild.Remove(w)
			return w.Of.of
		}
	}
	if n == nil {
		return nil
	}
	s.posted.Remove(n)
	return n.Of.of
}

// first returns the first receive from n on that takes this tag.
func first[R any](n *list.Node[Receive[R]], tag int32) *list.Node[Receive[R]] {
	for n != nil && !n.Of.Takes(tag) {
		n = n.Next()
	}
	return n
}

// Add notes a message that matches no posted receive. NextProbe then tells the probes that wait for it.
func (c *Context[R, M]) Add(m *Message[M]) {
	c.arrived.Push(&m.inAll)
	c.sources.at(m.Source).unexpected.Push(&m.inSource)
}

// NextProbe takes out the first probe that waits for a message like this, and returns it; nil if there is none. All
// see the message until one takes it.
func (c *Context[R, M]) NextProbe(m *Message[M]) *R {
	if c.probes.Empty() {
		return nil // the usual case, inlined
	}
	return c.nextProbe(m)
}

func (c *Context[R, M]) nextProbe(m *Message[M]) *R {
	for n := c.probes.Head(); n != nil; n = n.Next() {
		if p := n.Of; (p.Peer == AnySource || p.Peer == m.Source) && p.Takes(m.Tag) {
			c.probes.Remove(n)
			return p.of
		}
	}
	return nil
}

// Find returns the message that a receive of this source and tag would get, which stays where it is, or nil.
func (c *Context[R, M]) Find(from, tag int32) *M {
	if c.arrived.Empty() {
		return nil // the usual case, without a look at the source
	}
	return c.search(from, tag)
}

// search is Find among the messages that there are.
func (c *Context[R, M]) search(from, tag int32) *M {
	n := c.arrived.Head()
	if from != AnySource {
		n = c.sources.at(from).unexpected.Head()
	}
	for n != nil && tag != AnyTag && n.Of.Tag != tag {
		n = n.Next()
	}
	if n == nil {
		return nil
	}
	return n.Of.of
}

// Take removes an unexpected message.
func (c *Context[R, M]) Take(m *Message[M]) {
	c.arrived.Remove(&m.inAll)
	c.sources.at(m.Source).unexpected.Remove(&m.inSource)
}

// Unexpected tells whether there is any unexpected message.
func (c *Context[R, M]) Unexpected() bool { return !c.arrived.Empty() }

// Messages are the unexpected messages in the order of their arrival.
func (c *Context[R, M]) Messages() iter.Seq[*M] {
	return func(yield func(*M) bool) {
		for n := c.arrived.Head(); n != nil && yield(n.Of.of); n = n.Next() {
		}
	}
}

// Untouched tells whether a receive from this rank would be the first to see its next message, whatever the tags: no
// other receive could take it, and none has come before.
func (c *Context[R, M]) Untouched(rank int32) bool {
	return c.arrived.Empty() && c.wild.Empty() && c.sources.at(rank).posted.Empty()
}

// expel yields the posted receives and waiting probes for which why returns an error. Each is out of its queue then.
func (c *Context[R, M]) expel(why func(*R) error, yield func(*R, error) bool) bool {
	if !expel(&c.wild, why, yield) || !expel(&c.probes, why, yield) {
		return false
	}
	for _, p := range c.sources.pages {
		if p == nil {
			continue
		}
		for i := range p {
			if !expel(&p[i].posted, why, yield) {
				return false
			}
		}
	}
	return true
}

func expel[R any](l *list.List[Receive[R]], why func(*R) error, yield func(*R, error) bool) bool {
	for n := l.Head(); n != nil; {
		r := n.Of
		n = n.Next()
		if err := why(r.of); err != nil {
			l.Remove(&r.node)
			if !yield(r.of, err) {
				return false
			}
		}
	}
	return true
}
