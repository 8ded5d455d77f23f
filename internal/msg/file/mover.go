package file

import (
	"github.com/gopvas/gopvas/internal/node/sys"
)

// mover moves bytes between memory and an open file. One goroutine at a time uses it.
type mover struct {
	fd       int
	readable int  // a descriptor by which holes can be read; -1: none
	sized    bool // the system knows where the file ends
	write    bool
	window   int64

	walker    walker
	pieces    [sys.IOVecMax]sys.IOVec
	list      []piece
	assembled []byte // a window
	stage     []byte // a part of a stream
	covered   cover
}

// buffer returns n bytes of memory that is kept from call to call.
func (m *mover) buffer(memory *[]byte, n int64) []byte {
	if int64(cap(*memory)) < n {
		*memory = make([]byte, n)
	}
	return (*memory)[:n]
}

// The bounds of the two ways. A call of the system costs as much as some KiB that are copied.
const (
	shortExtent = 4 << 10 // extents of the file below that are short
	shortMemory = 512     // pieces of memory below that are packed first
	tooSpread   = 8       // bytes of the file that may be read for one of a party
)

// alone moves the stream of one party, which does not own the file: others may write to its holes. It returns how
// many bytes were moved: fewer if the file ends.
func (m *mover) alone(p *party) (int64, error) {
	if p.n <= 0 {
		return 0, nil
	}
	extent, spread := p.grain()
	dense := extent < shortExtent && spread < tooSpread && extent < p.n
	if dense && !m.write && m.sized && !p.view.overlaps && !p.tangled() {
		return m.readThrough(p)
	}
	if p.memory.Layout == nil || !p.scattered() {
		return m.byPieces(p, p.start, p.end())
	}
	return m.staged(p)
}

// scattered tells whether the memory of a party lies in short pieces.
func (p *party) scattered() bool {
	q := party{view: View{layout: *p.memory.Layout}, n: p.n}
	extent, _ := q.grain()
	return extent < shortMemory
}

// readThrough reads a party's stream by windows.
func (m *mover) readThrough(p *party) (int64, error) {
	size, err := sys.FileSize(m.fd) // before: what comes to the file meanwhile may not be read
	if err != nil {
		return 0, err
	}
	lo, hi := p.span()
	return p.before(size), m.domain([]party{*p}, lo, hi, false)
}

// before is how many bytes of a party lie before the end of a file.
func (p *party) before(size int64) int64 { return p.view.find(p.start, p.end(), size) - p.start }

// staged moves a party's stream through a buffer, since its memory lies in short pieces.
func (m *mover) staged(p *party) (done int64, err error) {
	for done < p.n {
		part := m.buffer(&m.stage, min(p.n-done, m.window))
		q := party{view: p.view, start: p.start + done, n: int64(len(part)), memory: inMemory(part)}
		if m.write {
			if err := p.load(part, q.start); err != nil {
				return done, err
			}
		}
		n, err := m.byPieces(&q, q.start, q.end())
		if !m.write && n > 0 {
			if err := p.store(part[:n], q.start); err != nil {
				return done, err
			}
		}
		done += n
		if err != nil || n < q.n {
			return done, err
		}
	}
	return done, nil
}
