package btltest

import (
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
)

// post is the simplest layer above a module: it checks and counts what arrives.
// The i-th message from rank a to rank b has tag i and the bytes that fill writes
// for sender and tag.
type post struct {
	*env
	next     []int32 // by source: the tag that is due
	arrived  int     // messages that were delivered
	got      int     // messages that are completely here
	hold     bool    // do not release
	held     []btl.Frame
	sent     []btl.Transfer
	incoming []incoming
}

type incoming struct {
	btl.Transfer
	frame btl.Frame
	dst   []byte
}

func newPost(e *env) *post { return &post{env: e, next: make([]int32, e.root.Ranks())} }

// mark is what fill is told for a message.
func mark(source int32, tag int32) int { return int(source)*1000 + int(tag) }

// take is the deliver callback.
func (p *post) take(f *btl.Frame) {
	require.Equal(p, p.next[f.Source], f.Tag, "messages of rank %d in order", f.Source)
	p.next[f.Source]++
	p.arrived++
	require.Equal(p, f.Length^0xabcd, f.Cookie, "the header comes as it was")
	require.EqualValues(p, p.rank, f.Context)
	if f.Offered && p.hold && f.Length <= uint64(p.EagerLimit()) {
		p.held = append(p.held, *f) // sent by Send, for all that this rank knows
		return
	}
	p.accept(f)
}

// letGo consumes what was held.
func (p *post) letGo() {
	for i := range p.held {
		if f := &p.held[i]; f.Offered {
			p.accept(f)
		} else {
			p.Release(f)
		}
	}
	p.held = p.held[:0]
}

// accept takes the message of a frame.
func (p *post) accept(f *btl.Frame) {
	if f.Offered {
		require.Nil(p, f.Payload)
		dst := make([]byte, f.Length)
		if t := p.Accept(f, &btl.Buffer{Bytes: dst}); t != nil {
			p.incoming = append(p.incoming, incoming{t, *f, dst})
			return
		}
		p.done(f, dst)
		return
	}
	require.EqualValues(p, f.Length, len(f.Payload))
	require.Equal(p, len(f.Payload), cap(f.Payload))
	p.done(f, f.Payload)
	switch {
	case !p.hold:
		p.Release(f)
	default:
		p.held = append(p.held, *f)
	}
}

func (p *post) done(f *btl.Frame, bytes []byte) {
	p.check(bytes, mark(f.Source, f.Tag), 0)
	p.got++
}

// progress does what there is to do.
func (p *post) progress() {
	p.Poll(7, p.take)
	p.progressSends()
	for i := 0; i < len(p.incoming); i++ {
		if done, err := p.incoming[i].Progress(); done {
			require.NoError(p, err)
			p.done(&p.incoming[i].frame, p.incoming[i].dst)
			p.incoming = append(p.incoming[:i], p.incoming[i+1:]...)
			i--
		}
	}
}

// wait makes progress until so many messages have come and all that was sent is gone.
func (p *post) wait(messages int) {
	p.await(func() bool { return p.got >= messages && len(p.sent) == 0 })
}

// await makes progress until the condition holds.
func (p *post) await(condition func() bool) {
	over := func() bool {
		p.progress()
		return condition() || p.orphaned(condition)
	}
	if !looks(p.root.Spin(), over) {
		require.NoError(p, p.Sleep(over, nil))
	}
}

// looks asks over once and up to n more times, and tells whether it has returned true.
func looks(n int, over func() bool) bool {
	for range n + 1 {
		if over() {
			return true
		}
	}
	return false
}

// orphaned ends a case that cannot end well because another rank has failed.
func (p *post) orphaned(condition func() bool) bool {
	return p.deserted(func() bool { p.progress(); return condition() })
}

// deserted is orphaned where the condition makes the progress. A rank that has gone because it is
// through has done all that makes the condition true; what it has left may take some looks.
func (e *env) deserted(condition func() bool) bool {
	lost, ok := e.root.Lost()
	if !ok {
		return false
	}
	for range lastLooks {
		if condition() {
			return true
		}
	}
	require.Fail(e, "a rank has gone in the middle of the case", "rank %d", lost)
	return false
}

// lastLooks is more than any message takes to arrive that is complete at its sender.
const lastLooks = 1000

func never() bool { return false }

func (p *post) header(to int, tag int32, n int) *btl.Header {
	return &btl.Header{Tag: tag, Context: uint32(to), Cookie: uint64(n) ^ 0xabcd}
}

func (p *post) message(tag int32, n int) []byte {
	src := make([]byte, n)
	fill(src, mark(int32(p.rank), tag))
	return src
}

// trySend sends if that is possible now, and some messages from a buffer with a layout.
func (p *post) trySend(to int, h *btl.Header, src []byte) bool {
	if shape := int(h.Tag) % (2 * len(shapes)); shape > 0 && shape < len(shapes) {
		b := newShaped(p.env, shape, len(src))
		b.Unpack(src, 0)
		return p.SendBuffer(to, h, b.Buffer)
	}
	t, ok := p.Send(to, h, src)
	if t != nil {
		p.sent = append(p.sent, t)
	}
	return ok
}

// send sends or offers, whatever is possible first, and makes progress meanwhile.
func (p *post) send(to int, tag int32, n int) {
	src := p.message(tag, n)
	h := p.header(to, tag, n)
	p.await(func() bool {
		if n <= p.EagerLimit() && p.trySend(to, h, src) {
			return true
		}
		t, ok := p.Offer(to, h, &btl.Buffer{Bytes: src})
		if ok {
			p.sent = append(p.sent, t)
		}
		return ok
	})
}

// sync passes when all ranks have come here, making progress meanwhile: a rank in
// the root's barrier would leave transfers lying.
func (p *post) sync(round int) {
	at, _ := p.root.Window(p.rank, p.slot)
	require.NoError(p, p.root.PublishWindow(p.rank, p.slot, at+1, uint64(round)))
	for rank := range p.root.Ranks() {
		p.root.Inbox(rank).Notify()
	}
	p.await(func() bool {
		for rank := range p.root.Ranks() {
			if at, _ := p.root.Window(rank, p.slot); at < uint64(round) {
				return false
			}
		}
		return true
	})
}
