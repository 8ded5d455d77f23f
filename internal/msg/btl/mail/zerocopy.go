package mail

import "github.com/gopvas/gopvas/btl"

// zeroCopyFrom is the length from which SendZeroCopy makes an attempt. A shorter message has arrived sooner by a
// buffer.
const zeroCopyFrom = 768 // bytes

// SendZeroCopy is that of btl.Capabilities.
func (b *Box) SendZeroCopy(rank int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	if len(payload) <= InlineLimit || !b.zeroCopy {
		return b.Send(rank, h, payload)
	}
	b.checkLimit(len(payload))
	p := b.reach(rank)
	if p == nil {
		return nil, false
	}
	if len(payload) < zeroCopyFrom || !p.tryZeroCopy() {
		return nil, b.credit(p) && b.sendEager(p, h, btl.Buffer{Bytes: payload})
	}
	t := b.beginAttempt(p, h, payload)
	if t == nil {
		return nil, false
	}
	t.pend()
	return t, true
}

// pend makes an attempt pending. The rank may be in its last look before it sleeps, and nobody notifies it: so it looks
// again.
func (t *sendTransfer) pend() {
	t.looksLeft = pendingLooks
	t.box.askAgain()
}

// beginAttempt offers a short message; nil: that cannot be done now.
func (b *Box) beginAttempt(p *peer, h *btl.Header, payload []byte) *sendTransfer {
	t := b.transfer()
	if t == nil {
		return nil
	}
	t.failures = p.failures
	if t.own.Bytes = payload; !b.offer(t, p, h, &t.own) {
		return nil
	}
	b.counters.EagerSent++
	b.counters.EagerBytes += uint64(len(payload))
	return t
}

// countDown counts a look in vain at a pending attempt. At the last one the message falls back; countDown tells whether
// it has.
func (t *sendTransfer) countDown() (over bool) {
	if t.looksLeft--; t.looksLeft > 0 {
		t.box.askAgain() // else the rank might sleep before it has looked so often
		return false
	}
	t.attemptFailed()
	if t.buffer != 0 {
		return t.fallBackInto(t.buffer - 1)
	}
	return t.FallBack()
}
