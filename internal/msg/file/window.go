package file

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
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

// oneWindow moves a part of the file that is as long as a window at most.
func (m *mover) oneWindow(parties []party, lo, hi int64) error {
	hi, total := m.reach(parties, lo, hi)
	w := m.buffer(&m.assembled, hi-lo)
	if !m.write {
		return m.readWindow(parties, w, lo)
	}
	if total != hi-lo || !m.full(parties, lo, hi) {
		if m.readable < 0 {
			return m.around(parties, lo, hi)
		}
		unlock, err := m.lock(true, lo, hi)
		if err != nil {
			return at(lo, err)
		}
		defer unlock()
		n, err := moveBytes(m.readable, false, w, lo)
		if err != nil {
			return at(lo+n, err)
		}
		clear(w[n:])
	}
	for i := range parties {
		layout, base := &parties[i].view.layout, parties[i].inWindow(w, lo)
		err := m.through(&parties[i], lo, hi, func(memory []byte, from int64) error {
			datatype.Unpack(memory, layout, base, from)
			return nil
		})
		if err != nil {
			return at(lo, err)
		}
	}
	n, err := moveBytes(m.fd, true, w, lo)
	return at(lo+n, err)
}

// readWindow reads a window, and hands out what each party has in it. Behind the end of the file nobody gets anything.
func (m *mover) readWindow(parties []party, w []byte, lo int64) error {
	n, err := moveBytes(m.fd, false, w, lo)
	if err != nil {
		return at(lo+n, err)
	}
	for i := range parties {
		layout, base := &parties[i].view.layout, parties[i].inWindow(w, lo)
		err := m.through(&parties[i], lo, lo+n, func(memory []byte, from int64) error {
			datatype.Pack(memory, layout, base, from)
			return nil
		})
		if err != nil {
			return at(lo, err)
		}
	}
	return nil
}

// around writes what all parties have in a part of a file whose holes cannot be read.
func (m *mover) around(parties []party, lo, hi int64) error {
	for i := range parties {
		p := &parties[i]
		err := m.through(p, lo, hi, func(memory []byte, from int64) error {
			q := party{view: p.view, start: from, n: int64(len(memory)), memory: inMemory(memory)}
			_, err := m.byPieces(&q, q.start, q.end())
			return err
		})
		if err != nil {
			return at(lo, err)
		}
	}
	return nil
}

// through calls do for the part of a party's stream that lies in a part of the file: with the party's memory if this
// process can address it in one piece, else with a buffer that the stream passes through.
func (m *mover) through(p *party, lo, hi int64, do func(memory []byte, from int64) error) error {
	from, to := p.within(lo, hi)
	if memory, ok := p.whole(from, to); ok {
		return do(memory, from)
	}
	for from < to {
		part := m.buffer(&m.stage, min(to-from, m.window))
		if m.write {
			if err := p.load(part, from); err != nil {
				return err
			}
		}
		if err := do(part, from); err != nil {
			return err
		}
		if !m.write {
			if err := p.store(part, from); err != nil {
				return err
			}
		}
		from += int64(len(part))
	}
	return nil
}

// inWindow is the address that displacement 0 of the party's view would have if the window w, at offset lo of the file,
// were a part of it.
func (p *party) inWindow(w []byte, lo int64) uintptr {
	return sys.AddrOf(w) - uintptr(lo-p.view.Displacement)
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
