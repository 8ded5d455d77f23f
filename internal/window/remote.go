package window

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/courier"
)

// Operations on targets of other nodes. They become requests. The goroutine of the target's courier carries them out in
// their order (serve.go), and answers each. Put and Accumulate are over for this rank when their requests are
// copied; a flush waits for the answers. All others wait for theirs at once. The answers come to the goroutine of the
// courier here, which notes them and notifies the rank.

// remote is what a window has for the ranks of other nodes.
type remote struct {
	line    *courier.Line
	links   []link     // by rank
	joining sync.Mutex // held while the lock of a target is taken for that of all

	mu     sync.Mutex // guards what follows
	number uint64     // of the last request
	asked  map[uint64]*asking

	serving // the other end
}

// link is what is under way to a target.
type link struct {
	bytes atomic.Int64 // of requests that were not answered, and their answers
	later results      // of Put, Accumulate and the ends of locks, until a flush
}

// results are answers that a call waits for.
type results struct {
	left   atomic.Int64 // that are yet to come
	failed atomic.Pointer[error]
}

// asking is a request that was not answered.
type asking struct {
	target int
	bytes  int
	of     *results
	take   func(stream []byte) // nil: the answer has none
}

const (
	mostBytes   = 64 << 10 // of the stream of a request
	piecesAsked = 2048     // of a request
	mostAhead   = 1 << 20  // bytes under way to a target: a further request waits
)

func newRemote(ranks int) *remote {
	return &remote{links: make([]link, ranks), asked: map[uint64]*asking{}}
}

// ask sends a request to a target. Its answer counts among some results.
func (w *Window) ask(rank int, r *request, stream, take func([]byte), of *results) error {
	far := w.remote
	l := &far.links[rank]
	a := &asking{target: rank, bytes: requestHead + len(r.pieces) + r.bytes, of: of, take: take}
	if l.bytes.Load()+int64(a.bytes) > mostAhead && l.bytes.Load() > 0 {
		room := func() bool { return l.bytes.Load()+int64(a.bytes) <= mostAhead || l.bytes.Load() == 0 }
		if err := w.awaitTarget(rank, wait{over: room, lock: none}); err != nil {
			return err
		}
	}
	if r.what == askLock {
		a.bytes = 0 // it may wait for other ranks, and is under way no more
	}
	far.mu.Lock()
	defer far.mu.Unlock()
	far.number++
	r.number = far.number
	if err := far.line.Send(rank, r.encode(stream)); err != nil {
		return err
	}
	far.asked[r.number] = a
	of.left.Add(1)
	w.underWay(l, a.bytes)
	return nil
}

// underWay notes that there are so many bytes more under way. While there are, the ranks that wait are no deadlock.
func (w *Window) underWay(l *link, bytes int) {
	l.bytes.Add(int64(bytes))
	comm.Root(w.own).AddUnderWay(comm.JobRank(w.own, w.me), bytes)
}

// awaitTarget waits for answers of a target.
func (w *Window) awaitTarget(rank int, a wait) error {
	job := comm.JobRank(w.own, rank)
	over, broken := a.over, error(nil)
	a.over = func() bool {
		if over() {
			return true
		}
		broken = w.remote.line.Broken(job)
		return broken != nil
	}
	a.blocks, a.asked = func(gone int) bool { return gone == rank }, rank+1
	if err := w.await(a); err != nil {
		return err
	}
	return broken
}

// collect waits until so many results from a target are yet to come, and returns the first error.
func (w *Window) collect(rank int, of *results, left int64, lock int) error {
	if of.left.Load() > left {
		err := w.awaitTarget(rank, wait{over: func() bool { return of.left.Load() <= left }, lock: lock})
		if err != nil {
			w.giveUp(of)
			return err
		}
	}
	if err := of.failed.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// giveUp gives up the answers that are yet to come.
func (w *Window) giveUp(of *results) {
	w.remote.mu.Lock()
	defer w.remote.mu.Unlock()
	for number, a := range w.remote.asked {
		if a.of == of {
			delete(w.remote.asked, number)
			of.left.Add(-1)
			w.underWay(&w.remote.links[a.target], -a.bytes)
		}
	}
}

// answered takes an answer. The goroutine of the courier calls it.
func (w *Window) answered(from int, b []byte) {
	const head = answerHead - courier.Head
	if len(b) < head {
		return
	}
	number, became := binary.LittleEndian.Uint64(b[8-courier.Head:]), b[1]
	far := w.remote
	far.mu.Lock()
	defer far.mu.Unlock()
	a := far.asked[number]
	if a == nil || a.target != from {
		return
	}
	delete(far.asked, number)
	if became != wasDone {
		err := w.refused(became, b[head:])
		a.of.failed.CompareAndSwap(nil, &err)
	} else if a.take != nil {
		a.take(b[head:])
	}
	w.underWay(&far.links[from], -a.bytes)
	a.of.left.Add(-1)
	comm.Notify(w.own, w.me)
}

// flushRemote returns when all operations of this rank on some targets of other nodes are done there; on all, if none
// is named.
func (w *Window) flushRemote(ranks ...int) (first error) {
	if w.remote == nil {
		return nil
	}
	one := func(rank int) {
		if !w.isRemote(rank) {
			return
		}
		if err := w.collect(rank, &w.remote.links[rank].later, 0, none); first == nil {
			first = err
		}
	}
	for _, rank := range ranks {
		one(rank)
	}
	if len(ranks) == 0 {
		for rank := range w.targets {
			one(rank)
		}
	}
	return first
}

// engage takes the lock of a target, if this rank has that of all and has not taken it.
func (w *Window) engage(rank int) error {
	if w.access.Load() != lockedAll || w.noCheck || w.marks.get(rank)&joined != 0 {
		return nil
	}
	w.remote.joining.Lock()
	defer w.remote.joining.Unlock()
	if w.marks.get(rank)&joined != 0 {
		return nil
	}
	if err := w.askLock(rank, false); err != nil {
		return err
	}
	w.mark([]int{rank}, joined)
	return nil
}

// askLock takes the lock of a target of another node.
func (w *Window) askLock(rank int, alone bool) error {
	r, of := request{what: askLock}, new(results)
	if alone {
		r.flags = flagAlone
	}
	if err := w.ask(rank, &r, nil, nil, of); err != nil {
		return err
	}
	return w.collect(rank, of, 0, rank)
}

// giveLock gives it back, after all operations on the target.
func (w *Window) giveLock(rank int, mark uint32) error {
	err := w.sendUnlock(rank, mark)
	if flushed := w.flushRemote(rank); err == nil {
		err = flushed
	}
	return err
}

func (w *Window) sendUnlock(rank int, mark uint32) error {
	if mark&unchecked != 0 {
		return nil
	}
	r := request{what: askUnlock}
	if mark&exclusive != 0 {
		r.flags = flagAlone
	}
	return w.ask(rank, &r, nil, nil, &w.remote.links[rank].later)
}

// giveLocks ends what engage has begun, and all operations.
func (w *Window) giveLocks() (first error) {
	if w.remote == nil {
		return nil
	}
	for rank := range w.targets {
		if w.marks.get(rank)&joined == 0 {
			continue
		}
		w.mark([]int{rank}, 0)
		if err := w.sendUnlock(rank, 0); first == nil {
			first = err
		}
	}
	if err := w.flushRemote(); first == nil {
		first = err
	}
	return first
}

// cut divides a place into requests: do gets their pieces, where they begin in the stream, and their bytes.
// All have a whole number of units. Pairs have a piece each.
func cut(p *Place, base uintptr, unit int, pairs bool, do func(pieces []byte, from, n int) error) error {
	next := func(at int) (addr uintptr, n int) {
		switch {
		case pairs:
			return base + pairAt(p, at), unit
		case p.Layout == nil:
			return base + uintptr(at), p.Bytes - at
		}
		var first [1]datatype.Segment
		datatype.Segments(first[:], p.Layout, base, int64(at))
		return first[0].Addr, int(first[0].Len)
	}
	for at := 0; at < p.Bytes; {
		var pieces []byte
		from := at
		for room := mostBytes / unit * unit; room > 0 && at < p.Bytes && len(pieces) < piecesAsked*pieceSize; {
			addr, n := next(at)
			n = min(n, room)
			pieces = binary.LittleEndian.AppendUint64(pieces, uint64(addr))
			pieces = binary.LittleEndian.AppendUint32(pieces, uint32(n))
			at, room = at+n, room-n
		}
		if err := do(pieces, from, at-from); err != nil {
			return err
		}
	}
	return nil
}

// pairAt is where the pair from a place of the stream on begins.
func pairAt(p *Place, from int) uintptr {
	if p.Layout == nil {
		return uintptr(from)
	}
	var first [1]datatype.Segment
	datatype.Segments(first[:], p.Layout, 0, int64(from))
	return first[0].Addr
}

// moveElsewhere is move to or from memory of another node.
func (w *Window) moveElsewhere(b *comm.Buffer, a *access, p *Place, write bool) error {
	if err := w.engage(a.rank); err != nil {
		return err
	}
	if write {
		return cut(p, a.addr, 1, false, func(pieces []byte, from, n int) error {
			r := request{what: askPut, pieces: pieces, bytes: n}
			return w.ask(a.rank, &r, func(to []byte) { b.Pack(to, from) }, nil, &w.remote.links[a.rank].later)
		})
	}
	g := gathering{w: w, rank: a.rank, of: new(results)}
	err := cut(p, a.addr, 1, false, func(pieces []byte, from, n int) error {
		return g.ask(&request{what: askGet, pieces: pieces, bytes: n}, nil, from, b.Unpack)
	})
	return g.end(err, b.Unpack)
}

// gathering is an operation whose answers have bytes. They come in the order of the requests. They are kept until this
// rank copies them, so memory of the program is touched within the call alone.
type gathering struct {
	w     *Window
	rank  int
	of    *results
	parts []*part
}

// part is the answer to a request.
type part struct {
	from   int
	stream []byte
}

// mostParts bounds what is kept.
const mostParts = mostAhead / mostBytes

// ask asks for what belongs to a place of the stream. into is given parts of it, here and in end.
func (g *gathering) ask(r *request, stream func([]byte), from int, into func([]byte, int)) error {
	if err := g.take(mostParts-1, into); err != nil {
		return err
	}
	p := &part{from: from}
	err := g.w.ask(g.rank, r, stream, func(stream []byte) { p.stream = append(p.stream, stream...) }, g.of)
	if err == nil {
		g.parts = append(g.parts, p)
	}
	return err
}

// take takes answers until so many are yet to come.
func (g *gathering) take(left int64, into func([]byte, int)) error {
	of := g.of
	if err := g.w.collect(g.rank, of, left, none); err != nil {
		return err
	}
	done := len(g.parts) - int(of.left.Load())
	for _, p := range g.parts[:done] {
		into(p.stream, p.from)
	}
	g.parts = g.parts[done:]
	return nil
}

// end ends the operation, which may have failed half-way.
func (g *gathering) end(err error, into func([]byte, int)) error {
	if err == nil {
		err = g.take(0, into)
	}
	if err != nil {
		g.w.giveUp(g.of)
	}
	return err
}

// ask has the target do an update.
func (u *update) ask(p *Place) error {
	w := u.w
	if err := w.engage(u.rank); err != nil {
		return err
	}
	g := gathering{w: w, rank: u.rank, of: new(results)}
	into := func(stream []byte, from int) { copy(u.out[from:], stream) }
	err := cut(p, u.addr, u.e.Size, u.e.Pair != nil, func(pieces []byte, from, n int) error {
		r := request{what: askUpdate, op: u.op, e: *u.e, pieces: pieces, bytes: n, compare: u.compare}
		var stream func([]byte)
		if u.in != nil && u.op.Code != NoOp {
			stream = func(to []byte) { copy(to, u.in[from:from+n]) }
		}
		if u.out == nil {
			return w.ask(u.rank, &r, stream, nil, &w.remote.links[u.rank].later)
		}
		r.flags |= flagResult
		return g.ask(&r, stream, from, into)
	})
	return g.end(err, into)
}
