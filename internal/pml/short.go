package pml

// The short way of the calls of most messages: contiguous bytes, to or from a named rank, in a rank of one
// thread whose peers are all reached by one module. The module must have the capability Short. A short message is then
// the work of few functions here. Only PostShort takes an operation for it. If a function refuses, nothing has
// happened: the call then goes the way of all others, which finds out what is the matter.

// updateShort decides whether there is a short way. It is called when one of its conditions changes.
func (e *Engine) updateShort() {
	e.short = nil
	if e.oneThread && e.trace == nil && e.routes == nil && !e.slowPath {
		e.short = e.module.short
	}
}

// SendShort is the short way of a standard Send or Isend: it tells whether the message is on its way.
func (e *Engine) SendShort(context uint32, dst, tag int, buf []byte) bool {
	if e.short == nil || uint(dst) >= uint(e.size) || dst == e.rank || uint(tag) > MaxTag {
		return false
	}
	return e.short.SendShort(dst, context, int32(tag), buf)
}

// shortLooks is how often RecvShort looks for a message: for some microseconds.
const shortLooks = 1000

// RecvShort is the short way of Recv. It returns the length and the tag of the message that it has received.
//
// As with receiveFast nothing can tell that the receive is not posted. It makes no progress for
// other operations, so there must be none that needs it.
func (e *Engine) RecvShort(context uint32, src, tag int, buf []byte) (n, got int, ok bool) {
	if e.short == nil || uint(src) >= uint(e.size) || uint(tag) > MaxTag && tag != AnyTag {
		return 0, 0, false
	}
	if e.spin == 0 || e.crowd != nil || e.movingCount > 0 || len(e.busy) > 0 || e.tasks.head != nil {
		return 0, 0, false
	}
	m := e.matcher(context)
	if m.arrived.head != nil || m.wild.head != nil || m.probes.head != nil ||
		m.sources.at(int32(src)).posted.head != nil {
		return 0, 0, false
	}
	n, tag32, ok := e.short.TakeShort(min(shortLooks, e.spin), src, context, int32(tag), buf)
	return n, int(tag32), ok
}

// PostShort is the short way of Irecv, for a request that gets a handle: it returns the operation,
// whose place is below a limit, or nil.
func (e *Engine) PostShort(context uint32, src, tag int, buf []byte, places uint32) *Op {
	n := e.unused
	if e.short == nil || n == nil || n.of.place >= places || uint(src) >= uint(e.size) || uint(tag) > MaxTag {
		return nil
	}
	m := e.matcher(context)
	if m.arrived.head != nil {
		return nil
	}
	op := n.of
	e.unused = n.next
	op.kind, op.state, op.mode = receiving, posted, Standard
	op.context, op.peer, op.tag = context, int32(src), int32(tag)
	op.request, op.number = e.beginning, 0
	op.status = noStatus
	op.buf.Bytes = buf
	op.posted = m.posts
	m.posts++
	m.sources.at(int32(src)).posted.push(n)
	return (*Op)(op)
}
