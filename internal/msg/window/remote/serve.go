package remote

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/courier"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/internal/msg/window/update"
)

// What a target does for ranks of other nodes. The goroutine of its courier does it, in the order in which requests of
// each rank come. It uses the code and the words of the ranks of this node, so all of them exclude one another. It
// takes the lock of the window in the name of the other rank, and that of a stripe in the name of this one. So who
// waits learns whose end has taken the lock along.
//
// The goroutine may wait for a stripe, which is short. It does not wait for the lock of the window. A rank of another
// node may have that, whose next request comes by the same goroutine. Such requests wait in a list, for which another
// goroutine waits.

// Memory is that of a rank, which others access by requests.
type Memory struct {
	Place update.Place                          // its beginning
	Check func(offset uintptr, bytes int) error // an error unless these bytes are in it
}

// server is the state of a target. The goroutine of the courier has it, but for the list.
type server struct {
	own     *comm.Comm
	find    operators
	words   *lock.Words
	memory  Memory
	request request
	scratch []byte // what comes, at a multiple of any element

	grants struct {
		mu   sync.Mutex
		list []grant // the first one is waited for
		wait sync.WaitGroup
	}
	left atomic.Bool // this rank frees the window
}

// grant is a lock that a rank waits for.
type grant struct {
	line   *courier.Line
	to     int
	number uint64
	alone  bool
}

// serve does what is asked, and answers.
func (s *server) serve(l *courier.Line, from int, b []byte) {
	r := &s.request
	err := r.decode(s.find, b)
	var out []byte
	if err == nil {
		switch r.what {
		case askLock:
			s.grant(grant{l, from, r.number, r.flags&flagAlone != 0})
			return
		case askUnlock:
			s.words.Give(s.own.Rank(), from, r.flags&flagAlone != 0)
			out = answer(r.number, wasDone, 0)
		default:
			out, err = s.do(r)
		}
	}
	if err != nil {
		out = refusal(r.number, err)
	}
	l.Send(from, out)
}

// do carries out an operation, and returns the answer.
func (s *server) do(r *request) ([]byte, error) {
	if err := s.check(r); err != nil {
		return nil, err
	}
	var out, result []byte
	if r.what == askGet || r.flags&flagResult != 0 {
		out = answer(r.number, wasDone, r.bytes)
		result = out[answerHead:]
	} else {
		out = answer(r.number, wasDone, 0)
	}
	u := update.Update{Words: s.words, Place: s.memory.Place, Op: r.op, E: &r.e, Out: result, Compare: r.compare,
		Aside: true}
	if r.what == askUpdate && r.flags&flagInput != 0 {
		s.scratch = append(s.scratch[:0], r.in...)
		u.In = s.scratch
	}
	for from, left := 0, r.pieces; len(left) > 0; left = left[pieceSize:] {
		offset, n := piece(left)
		memory := reach.Memory{Base: s.memory.Place.Addr + offset}
		var err error
		switch r.what {
		case askGet:
			err = memory.Load(result[from:from+n], 0)
		case askPut:
			err = memory.Store(r.in[from:from+n], 0)
		default:
			err = u.Piece(offset, from, n)
		}
		if err != nil {
			return nil, err
		}
		from += n
	}
	return out, nil
}

// piece is the first of some pieces.
func piece(b []byte) (offset uintptr, n int) {
	return uintptr(binary.LittleEndian.Uint64(b)), int(binary.LittleEndian.Uint32(b[8:]))
}

// check returns an error unless the pieces have the bytes of the stream, and lie in the memory of this rank.
func (s *server) check(r *request) error {
	size := max(r.e.Size, 1)
	if r.what < askPut || r.what > askUnlock ||
		r.compare != nil && (r.what != askUpdate || r.flags&flagInput == 0 || r.flags&flagResult == 0) {
		return errDamaged
	}
	if r.what == askUpdate && (r.e.Size == 0 || r.op.Code != update.Replace && r.op.Code != update.NoOp &&
		r.op.On == nil && r.compare == nil || r.flags&flagInput == 0 && r.op.Code != update.NoOp ||
		r.compare != nil && r.bytes != r.e.Size) || r.what == askPut && r.flags&flagInput == 0 {
		return errDamaged
	}
	total := 0
	for left := r.pieces; len(left) > 0; left = left[pieceSize:] {
		offset, n := piece(left)
		total += n
		if n%size != 0 || r.e.Pair != nil && n != size {
			return errDamaged
		}
		if r.e.Pair != nil {
			n = r.e.Span
		}
		if err := s.memory.Check(offset, n); err != nil {
			return err
		}
	}
	if total != r.bytes {
		return errDamaged
	}
	return nil
}

// grant gives a rank the lock of this target, or has it wait behind those that were here before.
func (s *server) grant(g grant) {
	all := &s.grants
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.list) == 0 && s.words.Take(s.own.Rank(), g.to, g.alone) {
		g.answer(nil)
		return
	}
	all.list = append(all.list, g)
	if len(all.list) == 1 {
		all.wait.Go(s.grantWaiting)
	}
}

// leave returns when nobody waits in the name of others. No request comes any more.
func (s *server) leave() {
	s.left.Store(true)
	comm.Notify(s.own, s.own.Rank())
	s.grants.wait.Wait()
}

// answer tells a rank that it has the lock, or why it has not.
func (g *grant) answer(err error) {
	out := answer(g.number, wasDone, 0)
	if err != nil {
		out = refusal(g.number, err)
	}
	g.line.Send(g.to, out)
}

// grantWaiting gives the lock to those that wait, one after the other, until there are none.
func (s *server) grantWaiting() {
	all := &s.grants
	all.mu.Lock()
	defer all.mu.Unlock()
	for len(all.list) > 0 {
		g := all.list[0]
		all.mu.Unlock()
		g.answer(s.words.LockAside(g.to, g.alone, s.left.Load))
		all.mu.Lock()
		all.list = all.list[1:]
	}
}
