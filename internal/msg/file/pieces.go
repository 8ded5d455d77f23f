package file

import (
	"cmp"
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// piece is bytes that lie together in memory and in the file.
type piece struct {
	offset int64
	addr   uintptr
	n      int64
}

// walker lists the pieces of a party from a place in its stream on.
type walker struct {
	p   *party
	pos int64 // in the stream

	file, memory       [128]datatype.Segment
	files, memories    []datatype.Segment // those that are left
	filePos, memoryPos int64              // up to where the lists go
}

func (w *walker) start(p *party, pos int64) {
	w.p, w.pos = p, pos
	w.filePos, w.memoryPos = pos, pos
	w.files, w.memories = nil, nil
}

// next is the next piece that ends before a place in the stream. ok is false at that place.
func (w *walker) next(to int64) (q piece, ok bool) {
	if w.pos >= to {
		return q, false
	}
	if len(w.files) == 0 {
		n, bytes := datatype.Segments(w.file[:], &w.p.view.layout, uintptr(w.p.view.Displacement), w.filePos)
		w.files, w.filePos = w.file[:n], w.filePos+bytes
	}
	f := &w.files[0]
	q = piece{int64(f.Addr), w.p.memory.Base + uintptr(w.pos-w.p.start), min(int64(f.Len), to-w.pos)}
	if w.p.memory.Layout != nil {
		if len(w.memories) == 0 {
			n, bytes := datatype.Segments(w.memory[:], w.p.memory.Layout, w.p.memory.Base, w.memoryPos-w.p.start)
			w.memories, w.memoryPos = w.memory[:n], w.memoryPos+bytes
		}
		m := &w.memories[0]
		q.addr, q.n = m.Addr, min(q.n, int64(m.Len))
		if *m = (datatype.Segment{Addr: m.Addr + uintptr(q.n), Len: m.Len - uint64(q.n)}); m.Len == 0 {
			w.memories = w.memories[1:]
		}
	}
	if *f = (datatype.Segment{Addr: f.Addr + uintptr(q.n), Len: f.Len - uint64(q.n)}); f.Len == 0 {
		w.files = w.files[1:]
	}
	w.pos += q.n
	return q, true
}

// batch gathers pieces that follow one another in the file, for one call of the system.
type batch struct {
	fd     int
	write  bool
	offset int64
	end    int64
	pieces []sys.IOVec
	done   int64 // bytes that were moved, by all batches
	short  bool  // the file has ended
}

// add adds a piece, after it has moved those before if they do not belong together.
func (b *batch) add(q piece) error {
	if len(b.pieces) > 0 && (q.offset != b.end || len(b.pieces) == sys.IOVecMax) {
		if err := b.flush(); err != nil {
			return err
		}
	}
	if len(b.pieces) == 0 {
		b.offset, b.end = q.offset, q.offset
	}
	b.end += q.n
	if n := len(b.pieces); n > 0 {
		if last := &b.pieces[n-1]; last.Base+uintptr(last.Len) == q.addr {
			last.Len += int(q.n)
			return nil
		}
	}
	b.pieces = append(b.pieces, sys.IOVec{Base: q.addr, Len: int(q.n)})
	return nil
}

// flush moves the pieces.
func (b *batch) flush() error {
	n, err := move(b.fd, b.write, b.pieces, b.offset)
	b.done += n
	b.short = err == nil && n < b.end-b.offset
	b.pieces = b.pieces[:0]
	return at(b.offset+n, err)
}

// moveBytes reads or writes bytes that lie together, all of them unless the file ends.
func moveBytes(fd int, write bool, bytes []byte, offset int64) (int64, error) {
	return move(fd, write, []sys.IOVec{{Base: sys.AddrOf(bytes), Len: len(bytes)}}, offset)
}

// move reads or writes pieces of memory, all of them unless the file ends. It changes the list.
func move(fd int, write bool, pieces []sys.IOVec, offset int64) (done int64, err error) {
	for len(pieces) > 0 {
		var n int
		if write {
			n, err = sys.WriteFileAt(fd, pieces, offset+done)
		} else {
			n, err = sys.ReadFileAt(fd, pieces, offset+done)
		}
		if err == nil && n == 0 && write {
			err = syscall.EIO
		}
		if err != nil || n == 0 {
			return done, err
		}
		done += int64(n)
		for n > 0 && len(pieces) > 0 {
			first := &pieces[0]
			k := min(n, first.Len)
			first.Base, first.Len, n = first.Base+uintptr(k), first.Len-k, n-k
			if first.Len == 0 {
				pieces = pieces[1:]
			}
		}
	}
	return done, nil
}

// byPieces moves a part of a party's stream, and returns how many bytes: fewer if the file ends.
func (m *mover) byPieces(p *party, from, to int64) (int64, error) {
	b := batch{fd: m.fd, write: m.write, pieces: m.pieces[:0]}
	m.walker.start(p, from)
	for !b.short {
		q, ok := m.walker.next(to)
		if !ok {
			break
		}
		if err := b.add(q); err != nil {
			return b.done, err
		}
	}
	if b.short {
		return b.done, nil
	}
	err := b.flush()
	return b.done, err
}

// byPiecesOfAll moves a part of the file for several parties.
func (m *mover) byPiecesOfAll(parties []party, lo, hi int64) error {
	list := m.list[:0]
	for i := range parties {
		from, to := parties[i].within(lo, hi)
		m.walker.start(&parties[i], from)
		for q, ok := m.walker.next(to); ok; q, ok = m.walker.next(to) {
			list = append(list, q)
		}
	}
	m.list = list
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(a.offset, b.offset) })
	b := batch{fd: m.fd, write: m.write, pieces: m.pieces[:0]}
	for _, q := range list {
		if err := b.add(q); err != nil {
			return err
		}
	}
	return b.flush()
}
