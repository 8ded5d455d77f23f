package route

import "github.com/gopvas/gopvas/btl"

// Transport is a module of this rank, with what is asked of its Capabilities again and again.
type Transport struct {
	btl.Messages
	Eager int // the longest eager message in bytes

	reaches      func(rank int) bool // of a further module
	settled      func() bool         // nil: as Senders says
	sendZeroCopy func(peer int, h *btl.Header, payload []byte) (btl.Transfer, bool)
}

func newTransport(m btl.Messages, c *btl.Capabilities) Transport {
	t := Transport{Messages: m, Eager: m.EagerLimit(), settled: c.Settled, sendZeroCopy: c.SendZeroCopy}
	if t.sendZeroCopy == nil {
		t.sendZeroCopy = m.Send
	}
	return t
}

// SendShort sends a message of at most Eager bytes. kept tells that the caller does not need the buffer at once: then a
// zero-copy attempt may be pending from its start.
func (t *Transport) SendShort(peer int, h *btl.Header, buf *btl.Buffer, kept bool) (btl.Transfer, bool) {
	switch {
	case buf.Layout != nil:
		return nil, t.SendBuffer(peer, h, *buf)
	case kept:
		return t.sendZeroCopy(peer, h, buf.Bytes)
	}
	return t.Send(peer, h, buf.Bytes)
}
