package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
)

// checkSource returns an error unless a message may come from there, with this tag.
func (p *protocol) checkSource(src, tag int) error {
	peer := src
	if src == AnySource {
		peer = ProcNull
	}
	if err := p.checkPeer(peer); err != nil {
		return err
	}
	if tag != AnyTag && src != ProcNull {
		return checkTag(tag)
	}
	return nil
}

// comesFirst tells whether a blocking receive is simple: it may take its message as that comes by, and is not posted.
// That is as if it had been posted, because the lock is held all the time and nothing can tell the difference. No
// receive that was posted before matches the same message, and no message that has arrived does. No message needs
// progress.
func (p *protocol) comesFirst(context uint32, src, tag int) bool {
	if p.receives.Len() > 0 || p.sends.Busy() || uint(src) >= uint(p.size) || !p.passes(src) || src == p.rank ||
		uint(tag) > MaxTag && tag != AnyTag {
		return false
	}
	return p.match.In(context).Untouched(int32(src))
}

// expect has a blocking receive that is simple fill its buffer as its message comes by: then awaited is nil. It returns
// false if the receive is not simple, or the operation is in use. unexpect ends it.
func (p *protocol) expect(context uint32, src, tag int, buf *btl.Buffer) bool {
	op := &p.fast
	if op.state != idle || !p.comesFirst(context, src, tag) {
		return false
	}
	op.context, op.Peer, op.Tag, op.buf, op.request = context, int32(src), int32(tag), *buf, p.trace.beginning
	p.awaited = op
	return true
}

// lookFast looks for that message, and returns how many have come by the first module.
func (p *protocol) lookFast() (came int) {
	if p.trace.on() {
		p.trace.to.Look()
	}
	came = p.routes.First.Poll(1, p.on.frame)
	if p.routes.Several() {
		p.pollFurther(1)
	}
	return came
}

func (p *protocol) unexpect() { p.awaited, p.fast.buf = nil, btl.Buffer{} }

// receive begins a receive. The operation returned may be complete.
func (p *protocol) receive(context uint32, src, tag int, buf *btl.Buffer) (*operation, error) {
	if p.held || uint(src) >= uint(p.size) || uint(tag) > MaxTag { // else nothing can be wrong
		if err := p.checkSource(src, tag); err != nil {
			return nil, err
		}
	}
	op := p.newOperation(receiving, context, src, tag)
	op.use(buf)
	p.startReceive(op)
	return op, nil
}

// startReceive gives an idle receive the message that waits for it, or posts it.
func (p *protocol) startReceive(op *operation) {
	if op.Peer == ProcNull {
		op.status = nobody
		p.complete(op, nil)
		return
	}
	c := p.match.In(op.context)
	if msg := c.Find(op.Peer, op.Tag); msg != nil {
		p.taken(msg)
		p.consume(op, msg)
		return
	}
	if err := p.gone.Error(op.context, op.Peer); err != nil {
		p.complete(op, err)
		return
	}
	op.state = posted
	c.Post(&op.Receive)
}

// deliver takes a message that has arrived. The module's Poll calls it.
func (p *protocol) deliver(f *btl.Frame) {
	if op := p.awaited; op != nil && op.Peer == f.Source && op.context == f.Context && op.Takes(f.Tag) {
		p.awaited = nil
		p.receiveFrame(op, f)
		return
	}
	if p.gone.Revoked(f.Context) {
		p.receiveFrame(p.unwanted(&f.Header), f)
		return
	}
	if op := p.match.In(f.Context).Arrive(f.Source, f.Tag); op != nil {
		p.receiveFrame(op, f)
		return
	}
	msg := p.messages.take()
	msg.frame = *f
	msg.number = p.trace.arriving
	msg.origin = delivered
	switch {
	case f.Offered:
		msg.origin = offered
	case f.Inline:
		// Released only when it is consumed: until then it counts against its
		// sender's credit, which bounds our memory.
		msg.frame.Payload = msg.keep(f.Payload)
	}
	p.unexpected(msg)
}

// receiveFrame fills a receive, which is in no list, with the message of a frame.
func (p *protocol) receiveFrame(op *operation, f *btl.Frame) {
	op.status, op.mark = Status{Source: int(f.Source), Tag: int(f.Tag)}, Mark{f.Flags, f.Cookie}
	op.number, op.offered = p.trace.arriving, f.Offered
	if !f.Offered {
		var err error
		if op.buf.Layout == nil && f.Length <= uint64(len(op.buf.Bytes)) {
			copy(op.buf.Bytes, f.Payload)
			op.status.Bytes = f.Length
		} else {
			err = op.fill(f.Payload, f.Length)
		}
		p.to(int(f.Source)).Release(f)
		p.complete(op, err)
		return
	}
	op.err = op.size(f.Length)
	if t := p.to(int(f.Source)).Accept(f, &op.buf); t != nil {
		p.move(op, t)
		return
	}
	p.complete(op, op.err)
}

// unexpected adds a message that no posted receive matches, and tells the probes
// that wait for one.
func (p *protocol) unexpected(msg *message) {
	msg.Source, msg.Tag = msg.frame.Source, msg.frame.Tag
	c := p.match.In(msg.frame.Context)
	c.Add(&msg.Message)
	if msg.Tag >= AskTag {
		p.questions.note(msg.frame.Context)
	}
	p.stats.Unexpected++
	p.stats.unexpectedNow++
	p.stats.UnexpectedHigh = max(p.stats.UnexpectedHigh, p.stats.unexpectedNow)
	for op := c.NextProbe(&msg.Message); op != nil; op = c.NextProbe(&msg.Message) {
		op.status = msg.status()
		if op.kind == picking {
			op.message = msg
			p.pick(msg)
			p.complete(op, nil)
			return
		}
		p.complete(op, nil)
	}
}

// pick takes an unexpected message out of the matching for a later receive.
func (p *protocol) pick(msg *message) {
	p.taken(msg)
	p.stats.matchedNow++
}

// taken takes an unexpected message out of the matching.
func (p *protocol) taken(msg *message) {
	p.match.In(msg.frame.Context).Take(&msg.Message)
	p.stats.unexpectedNow--
}

// consume fills a receive with a message that is in no queue any more.
func (p *protocol) consume(op *operation, msg *message) {
	p.trace.arriving, op.number = msg.number, msg.number
	switch msg.origin {
	case delivered, offered:
		p.receiveFrame(op, &msg.frame)
	case fromSelf:
		p.toItself.Give(int(msg.frame.Length))
		op.status, op.mark = msg.status(), msg.mark()
		p.complete(op, op.fill(msg.frame.Payload, msg.frame.Length))
	case heldBySelf:
		op.status, op.mark = msg.status(), msg.mark()
		p.complete(op, op.fillFrom(&msg.sender.buf))
		p.complete(msg.sender, nil)
	}
	p.messages.put(msg)
}

// finds tells whether a probe would find a message, or an error.
func (p *protocol) finds(context uint32, src, tag int) bool {
	return p.match.In(context).Find(int32(src), int32(tag)) != nil || p.gone.Failure(context, int32(src)) != nil
}

// await begins a probe that has found nothing and blocks.
func (p *protocol) await(k kind, context uint32, src, tag int) *operation {
	op := p.newOperation(k, context, src, tag)
	op.state = posted
	p.match.In(context).Await(&op.Receive)
	return op
}

// unreceived counts the messages in some contexts that no receive has matched, and says what a probe would tell of one.
func (p *protocol) unreceived(want func(context uint32) bool) (n int, one Status) {
	for context, c := range p.match.Contexts() {
		if !want(context) {
			continue
		}
		for msg := range c.Messages() {
			if n++; n == 1 {
				one = msg.status()
			}
		}
	}
	return n, one
}

// search asks what has come.
func (p *protocol) search(k kind, context uint32, src, tag int) (m Message, st Status, ok bool) {
	if src == ProcNull {
		return Message{null: true}, nobody, true
	}
	msg := p.match.In(context).Find(int32(src), int32(tag))
	if msg == nil {
		return Message{}, noStatus, false
	}
	if k == picking {
		m = Message{msg: msg, generation: msg.generation}
		p.pick(msg)
	}
	return m, msg.status(), true
}

func (p *protocol) receiveMatched(m *Message, buf btl.Buffer) (*operation, error) {
	msg, null := m.msg, m.null
	if msg != nil && msg.generation != m.generation {
		msg = nil
	}
	*m = Message{}
	switch {
	case p.closed:
		return nil, ErrFinalized
	case null:
		op := p.newOperation(receiving, 0, ProcNull, AnyTag)
		op.use(&buf)
		p.startReceive(op)
		return op, nil
	case msg == nil:
		return nil, ErrNoMessage
	}
	h := &msg.frame.Header
	op := p.newOperation(receiving, h.Context, int(h.Source), int(h.Tag))
	op.use(&buf)
	// A copy of m is stale from here on: a message consumed twice would be released
	// twice. (consume discards it.)
	p.stats.matchedNow--
	p.consume(op, msg)
	return op, nil
}

// cancel ends a receive or a probe that is posted, and a send to this rank that is held: see Request.Cancel.
func (p *protocol) cancel(op *operation) error {
	if op.kind == sending {
		return p.cancelSend(op)
	}
	if op.state == posted {
		p.match.In(op.context).Withdraw(&op.Receive)
		op.status.Cancelled = true
		p.complete(op, nil)
	}
	return nil
}

func (p *protocol) cancelSend(op *operation) error {
	if op.state != held {
		return ErrCancelSend
	}
	msg := p.messageOf(op)
	if msg == nil { // a matched probe has it
		return ErrCancelSend
	}
	p.taken(msg)
	p.messages.put(msg)
	op.status.Cancelled = true
	p.complete(op, nil)
	return nil
}

// messageOf returns the unexpected message of a send of this rank to itself, which is held; nil if there is none.
func (p *protocol) messageOf(op *operation) *message {
	for msg := range p.match.In(op.context).Messages() {
		if msg.sender == op {
			return msg
		}
	}
	return nil
}

// fill copies a message of this length to the buffer, as far as it fits.
func (op *operation) fill(payload []byte, length uint64) error {
	op.buf.Unpack(payload, 0)
	return op.size(length)
}

// fillFrom is fill with the message in a buffer of this rank.
func (op *operation) fillFrom(b *btl.Buffer) error {
	n := b.Len()
	btl.Copy(&op.buf, b, 0, min(n, op.buf.Len()))
	return op.size(uint64(n))
}

// size notes how many bytes of a message of this length are received, and returns a
// *TruncateError if it is longer than the buffer. Lengths are compared as uint64:
// a message may be longer than this process could hold.
func (op *operation) size(length uint64) error {
	size := uint64(op.buf.Len())
	op.status.Bytes = min(length, size)
	if length > size {
		return &fault.TruncateError{Length: length, Buffer: size}
	}
	return nil
}
