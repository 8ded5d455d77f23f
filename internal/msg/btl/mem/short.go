package mem

import "github.com/gopvas/gopvas/btl"

var _ btl.Short = (*Module)(nil)

// SendShort implements btl.Short, for messages that go inline.
func (m *Module) SendShort(peer int, context uint32, tag int32, payload []byte) bool {
	return len(payload) <= m.world.opts.Inline &&
		m.SendBuffer(peer, &btl.Header{Context: context, Tag: tag}, btl.Buffer{Bytes: payload})
}

// TakeShort implements btl.Short.
func (m *Module) TakeShort(looks, peer int, context uint32, tag int32, buf []byte) (n int, got int32, ok bool) {
	for range looks + 1 {
		if n, got, ok = m.takeShort(int32(peer), context, tag, buf); ok {
			break
		}
	}
	return n, got, ok
}

func (m *Module) takeShort(peer int32, context uint32, tag int32, buf []byte) (n int, got int32, ok bool) {
	m.calls++
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(m.queue) == 0 || m.queue[0].late > 0 {
		return 0, 0, false
	}
	s := m.queue[0]
	h := &s.header
	if s.offered || h.Source != peer || h.Context != context || h.Tag != tag && tag >= 0 ||
		len(s.payload) > len(buf) || len(s.payload) > w.opts.Inline {
		return 0, 0, false
	}
	m.queue = append(m.queue[:0], m.queue[1:]...)
	m.counters.Received++
	n, got = copy(buf, s.payload), h.Tag
	w.pairs[[2]int32{peer, m.rank}]--
	poison(s.payload)
	w.freeSlot(s)
	w.root.Inbox(int(peer)).Notify()
	for _, rank := range m.refused {
		w.root.Inbox(int(rank)).Notify() // there is room
	}
	m.refused = m.refused[:0]
	return n, got, true
}
