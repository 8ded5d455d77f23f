package mail

import "github.com/gopvas/gopvas/btl"

var _ btl.Lender = (*Box)(nil)

// lendFrom is the length from which nonblocking sends lend. A shorter message has arrived sooner by a buffer.
const lendFrom = 768 // bytes

// Lend implements btl.Lender.
func (b *Box) Lend(rank int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	if len(payload) <= InlineLimit || !b.zeroCopy {
		return b.Send(rank, h, payload)
	}
	b.checkLimit(len(payload))
	p := b.peers[rank]
	if p == nil {
		if p = b.meet(rank); p == nil {
			return nil, false
		}
	}
	if len(payload) < lendFrom || !p.tryZeroCopy() {
		if p.account.Credit() {
			return nil, b.sendEager(p, h, btl.Buffer{Bytes: payload})
		}
		b.counters.RefusedCredit++
		return nil, false
	}
	t := b.lend(p, h, payload)
	if t == nil {
		return nil, false
	}
	t.patience = lentLooks
	return t, true
}

// lend offers a message in its own buffer; nil: that can not be done now.
func (b *Box) lend(p *peer, h *btl.Header, payload []byte) *sendTransfer {
	t := b.transfer()
	if t == nil {
		return nil
	}
	if t.own.Bytes = payload; !b.offer(t, p, h, &t.own) {
		return nil
	}
	b.counters.EagerSent++
	b.counters.EagerBytes += uint64(len(payload))
	return t
}

// tooLong tells whether the receiver lets a lent message wait too long, which then has fallen back.
func (t *sendTransfer) tooLong() bool {
	if t.patience--; t.patience > 0 {
		t.box.again() // else the rank might sleep before it has looked so often
		return false
	}
	t.peer.late()
	if t.buffer != 0 {
		return t.fallBackInto(t.buffer - 1)
	}
	return t.FallBack()
}
