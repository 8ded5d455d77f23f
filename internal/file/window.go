package file

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/sys"
)

// windowSize is how long a part of the file is that is assembled in memory, unless a hint says otherwise.
const windowSize = 4 << 20

// next is the first offset from lo up to hi at which a party has something.
func next(parties []party, lo, hi int64) (at int64, ok bool) {
	at = hi
	for i := range parties {
		p := &parties[i]
		if pos := p.view.find(p.start, p.end(), lo); pos < p.end() {
			at = min(at, p.view.offset(pos))
		}
	}
	return at, at < hi
}

func (m *mover) oneWindow(parties []party, lo, hi int64) error {
	if !m.write {
		return m.readWindow(parties, lo, hi)
	}
	hi, total := m.reach(parties, lo, hi)
	w := m.buffer(&m.assembled, hi-lo)
	if total != hi-lo || !m.full(parties, lo, hi) {
		if m.readable < 0 {
			return m.around(parties, lo, hi)
		}
		n, err := m.holes(w, lo)
		if err != nil {
			return at(lo+n, err)
		}
		clear(w[n:])
	}
	for i := range parties {
		p := &parties[i]
		if err := m.assemble(p, w, lo); err != nil {
			return at(lo, err)
		}
	}
	n, err := move(m.fd, true, []sys.IOVec{{Addr: sys.AddrOf(w), Len: uint64(len(w))}}, lo)
	return at(lo+n, err)
}

// reach is where the last byte of a window that a party has ends, and how many bytes all have there.
func (m *mover) reach(parties []party, lo, hi int64) (end, total int64) {
	end = lo
	for i := range parties {
		p := &parties[i]
		from, to := p.within(lo, hi)
		if total += to - from; to > from {
			end = max(end, p.view.offset(to-1)+1)
		}
	}
	return end, total
}

// holes reads what the file has in a window.
func (m *mover) holes(w []byte, lo int64) (int64, error) {
	return move(m.readable, false, []sys.IOVec{{Addr: sys.AddrOf(w), Len: uint64(len(w))}}, lo)
}

// around writes what all parties have in a part of a file whose holes can not be read.
func (m *mover) around(parties []party, lo, hi int64) error {
	for i := range parties {
		p := &parties[i]
		from, to := p.within(lo, hi)
		for from < to {
			part := m.buffer(&m.stage, min(to-from, m.window))
			if err := p.load(part, from); err != nil {
				return at(lo, err)
			}
			q := party{view: p.view, start: from, n: int64(len(part)), base: sys.AddrOf(part)}
			if _, err := m.byPieces(&q, q.start, q.end()); err != nil {
				return err
			}
			from = q.end()
		}
	}
	return nil
}

// in is the address that displacement 0 of a file would have if the window w, at offset lo, were a part of it.
func in(w []byte, lo int64) uintptr { return sys.AddrOf(w) - uintptr(lo) }

// assemble copies what a party writes into a window.
func (m *mover) assemble(p *party, w []byte, lo int64) error {
	from, to := p.within(lo, lo+int64(len(w)))
	if memory, ok := p.whole(from, to); ok {
		datatype.Unpack(memory, &p.view.layout, in(w, lo)+uintptr(p.view.Displacement), from)
		return nil
	}
	for from < to {
		part := m.buffer(&m.stage, min(to-from, m.window))
		if err := p.load(part, from); err != nil {
			return err
		}
		datatype.Unpack(part, &p.view.layout, in(w, lo)+uintptr(p.view.Displacement), from)
		from += int64(len(part))
	}
	return nil
}

// readWindow reads a window, and hands out what each party has in it. Behind the end of the file nobody gets anything.
func (m *mover) readWindow(parties []party, lo, hi int64) error {
	hi, _ = m.reach(parties, lo, hi)
	w := m.buffer(&m.assembled, hi-lo)
	n, err := move(m.fd, false, []sys.IOVec{{Addr: sys.AddrOf(w), Len: uint64(len(w))}}, lo)
	if err != nil {
		return at(lo+n, err)
	}
	for i := range parties {
		if err := m.handOut(&parties[i], w[:n], lo); err != nil {
			return at(lo, err)
		}
	}
	return nil
}

// handOut copies what a party reads out of a window.
func (m *mover) handOut(p *party, w []byte, lo int64) error {
	from, to := p.within(lo, lo+int64(len(w)))
	if memory, ok := p.whole(from, to); ok {
		datatype.Pack(memory, &p.view.layout, in(w, lo)+uintptr(p.view.Displacement), from)
		return nil
	}
	for from < to {
		part := m.buffer(&m.stage, min(to-from, m.window))
		datatype.Pack(part, &p.view.layout, in(w, lo)+uintptr(p.view.Displacement), from)
		if err := p.store(part, from); err != nil {
			return err
		}
		from += int64(len(part))
	}
	return nil
}

// full tells whether parties that have as many bytes as a window have each byte of it once. If two have the same byte
// there is a hole elsewhere.
func (m *mover) full(parties []party, lo, hi int64) bool {
	if len(parties) == 1 {
		return true
	}
	m.covered.reset(int(hi - lo))
	var list [128]datatype.Segment
	for i := range parties {
		p := &parties[i]
		from, to := p.within(lo, hi)
		for from < to {
			n, bytes := datatype.Segments(list[:], &p.view.layout, uintptr(p.view.Displacement), from)
			n = clip(list[:n], min(bytes, to-from))
			for _, s := range list[:n] {
				if !m.covered.add(int(int64(s.Addr)-lo), int(s.Len)) {
					return false
				}
			}
			from += bytes
		}
	}
	return true
}
