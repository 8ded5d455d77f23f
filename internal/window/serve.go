package window

import (
	"encoding/binary"
	"sync"

	"github.com/gopvas/gopvas/internal/courier"
)

// What a target does for ranks of other nodes. The goroutine of its courier does it, in the order in which requests of
// each rank come. It uses the code and the words of the ranks of this node, so all of them exclude one another. It
// takes the lock of the window in the name of the other rank, and that of a stripe in the name of this one. So who
// waits learns whose end has taken the lock along.
//
// The goroutine may wait for a stripe, which is short. It does not wait for the lock of the window. A rank of another
// node may have that, whose next request comes by the same goroutine. Such requests wait in a list, for which another
// goroutine waits.

// serving is the state of a target. The goroutine of the courier has it, but for the list.
type serving struct {
	request request
	scratch []byte // what comes, at a multiple of any element

	grants struct {
		mu   sync.Mutex
		list []grant // the first one is waited for
	}
}

// grant is a lock that a rank waits for.
type grant struct {
	line   *courier.Line
	to     int
	number uint64
	alone  bool
}

// receive is given all blocks of the line.
func (w *Window) receive(l *courier.Line, from int, b []byte) {
	if len(b) > 0 && b[0] == askAnswer {
		w.answered(from, b)
		return
	}
	r := &w.remote.request
	err := r.decode(w.own, b)
	var out []byte
	if err == nil {
		switch r.what {
		case askLock:
			w.grant(grant{l, from, r.number, r.flags&flagAlone != 0})
			return
		case askUnlock:
			if r.flags&flagAlone != 0 {
				w.unlockAlone(w.me)
			} else {
				w.unlockShared(w.me, from)
			}
			out = answer(r.number, wasDone, 0)
		default:
			out, err = w.do(r)
		}
	}
	if err != nil {
		out = refusal(r.number, err)
	}
	_ = l.Send(from, out) // the other end finds out if it does not come
}

// do carries out an operation, and returns the answer.
func (w *Window) do(r *request) ([]byte, error) {
	if err := w.checkPieces(r); err != nil {
		return nil, err
	}
	var out, result []byte
	if r.what == askGet || r.flags&flagResult != 0 {
		out = answer(r.number, wasDone, r.bytes)
		result = out[answerHead:]
	} else {
		out = answer(r.number, wasDone, 0)
	}
	t := &w.targets[w.me]
	base := t.base.Load()
	if r.what != askUpdate {
		for from, left := 0, r.pieces; len(left) > 0; left = left[pieceSize:] {
			offset, n := piece(left)
			if memory := memoryAt(base+offset, n); r.what == askGet {
				copy(result[from:], memory)
			} else {
				copy(memory, r.in[from:from+n])
			}
			from += n
		}
		return out, nil
	}
	w.remote.scratch = append(w.remote.scratch[:0], r.in...)
	u := update{w: w, access: access{t, w.me, base, t.salt}, op: r.op, e: &r.e, out: result, compare: r.compare,
		aside: true}
	if r.flags&flagInput != 0 {
		u.in = w.remote.scratch
	}
	for from, left := 0, r.pieces; len(left) > 0; left = left[pieceSize:] {
		offset, n := piece(left)
		var err error
		switch {
		case r.e.Pair != nil:
			err = u.pairs(offset, nil, from, n)
		case r.bytes == r.e.Size:
			err = u.run(offset, from, n)
		default:
			err = u.stripes(offset, from, n)
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

// checkPieces returns an error unless the pieces have the bytes of the stream, and lie in the memory of this rank.
func (w *Window) checkPieces(r *request) error {
	size := max(r.e.Size, 1)
	if r.what == askUpdate && (r.e.Size == 0 || r.op.Code != Replace && r.op.Code != NoOp && r.op.On == nil &&
		r.compare == nil || r.flags&flagInput == 0 && r.op.Code != NoOp || r.compare != nil && r.bytes != r.e.Size) ||
		r.what == askPut && r.flags&flagInput == 0 {
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
		if !w.has(offset, n) {
			return notAttached(uint64(offset), uint64(offset)+uint64(n))
		}
	}
	if total != r.bytes {
		return errDamaged
	}
	return nil
}

// has tells whether bytes are in the memory of this rank.
func (w *Window) has(offset uintptr, n int) bool {
	if w.flavor != Dynamic {
		size := w.targets[w.me].bytes
		return uint64(n) <= size && uint64(offset) <= size-uint64(n)
	}
	return w.attachedOf(w.me).have(uint64(offset), uint64(offset)+uint64(n))
}

// grant gives a rank the lock of this target, or has it wait behind those that were here before.
func (w *Window) grant(g grant) {
	all := &w.remote.grants
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.list) == 0 && w.take(&g) {
		g.answer(nil)
		return
	}
	all.list = append(all.list, g)
	if len(all.list) == 1 {
		go w.grantWaiting()
	}
}

func (w *Window) take(g *grant) bool {
	if g.alone {
		return w.takeAlone(w.me, g.to)
	}
	return w.takeShared(w.me, g.to)
}

// answer tells a rank that it has the lock, or why it has not.
func (g *grant) answer(err error) {
	out := answer(g.number, wasDone, 0)
	if err != nil {
		out = refusal(g.number, err)
	}
	_ = g.line.Send(g.to, out)
}

// grantWaiting gives the lock to those that wait, one after the other, until there are none.
func (w *Window) grantWaiting() {
	all := &w.remote.grants
	all.mu.Lock()
	defer all.mu.Unlock()
	for len(all.list) > 0 {
		g := all.list[0]
		all.mu.Unlock()
		var err error
		for err == nil && !w.take(&g) {
			err = w.awaitAside(w.untilFree(w.me, g.alone))
		}
		g.answer(err)
		all.mu.Lock()
		all.list = all.list[1:]
	}
}
