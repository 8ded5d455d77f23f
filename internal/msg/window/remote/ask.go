package remote

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/courier"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Ranks are the ranks of a window that are on other nodes; nil: there are none, and nothing of theirs is under way.
type Ranks struct {
	own   *comm.Comm // all ranks of the window
	line  *courier.Line
	links []link // by rank

	mu     sync.Mutex // guards what follows
	number uint64     // of the last request
	asked  map[uint64]*asking

	server // the other end
}

// link is what is under way to a target.
type link struct {
	bytes atomic.Int64 // of requests that were not answered, and their answers
	later results      // of Put, Accumulate and the ends of locks, until a flush

	mu     sync.Mutex  // held while the lock is taken for that of all targets
	joined atomic.Bool // it was taken so
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

// Join has all ranks of a window send requests to one another. It is collective. words are those of this node, and
// memory that of this rank, which others access.
func Join(own *comm.Comm, words *lock.Words, memory Memory) (*Ranks, error) {
	r := &Ranks{own: own, links: make([]link, own.Size()), asked: map[uint64]*asking{}}
	r.server = server{own: own, words: words, memory: memory}
	r.server.find = func(name uint64) func(inout, in []byte) { return comm.Operator(own, name) }
	var err error
	r.line, err = courier.Join(own, r.receive)
	return r, err
}

// Leave returns when no rank of the window sends requests any more, or one has failed, and nothing is done for others
// any more. It is collective.
func (r *Ranks) Leave() error {
	if r == nil {
		return nil
	}
	err := r.own.Barrier()
	r.line.Leave()
	r.leave()
	return err
}

// receive is given all blocks of the line.
func (r *Ranks) receive(l *courier.Line, from int, b []byte) {
	if len(b) > 0 && b[0] == askAnswer {
		r.answered(from, b)
	} else {
		r.serve(l, from, b)
	}
}

// ask sends a request to a target. Its answer counts among some results.
func (r *Ranks) ask(rank int, q *request, stream, take func([]byte), of *results) error {
	l := &r.links[rank]
	a := &asking{target: rank, bytes: requestHead + len(q.pieces) + q.bytes, of: of, take: take}
	if l.bytes.Load()+int64(a.bytes) > mostAhead && l.bytes.Load() > 0 {
		room := func() bool { return l.bytes.Load()+int64(a.bytes) <= mostAhead || l.bytes.Load() == 0 }
		if err := r.await(rank, "an answer", room); err != nil {
			return err
		}
	}
	if q.what == askLock {
		a.bytes = 0 // it may wait for other ranks, and is under way no more
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	q.number = r.number
	r.line.Send(rank, q.encode(stream))
	r.asked[q.number] = a
	of.left.Add(1)
	r.underWay(l, a.bytes)
	return nil
}

// underWay notes that there are so many bytes more under way. While there are, the ranks that wait are no deadlock.
func (r *Ranks) underWay(l *link, bytes int) {
	l.bytes.Add(int64(bytes))
	comm.Root(r.own).AddUnderWay(comm.JobRank(r.own, r.own.Rank()), bytes)
}

// await waits for something of a target that its answers bring. It fails if there will be none.
func (r *Ranks) await(rank int, what string, over func() bool) error {
	target := comm.JobRank(r.own, rank)
	lost, broken := false, error(nil)
	ends := func() bool {
		if over() {
			return true
		}
		broken = r.line.Broken(rank)
		lost = comm.FirstGone(r.own, func(gone int) bool { return gone == rank }) >= 0
		return broken != nil || lost
	}
	if !comm.Waiter(r.own).Look(ends) {
		if err := comm.Await(r.own, ends, func() job.Waiting { return r.waiting(target, what) }); err != nil {
			return err
		}
	}
	if lost {
		return &fault.LostError{Rank: target}
	}
	return broken
}

// waiting is what the hang report says of such a wait. Who has a lock is known at the target, so it names nobody.
func (r *Ranks) waiting(target int, what string) job.Waiting {
	s := job.Waiting{Op: job.OpWait, Peer: job.AnyPeer, Tag: comm.AnyTag, Context: r.own.ID()}
	s.Collective.Name, s.Collective.Communicator = fmt.Sprintf("%s of rank %d", what, target), r.own.Name()
	return s
}

// collect waits until so many results from a target are yet to come, and returns the first error.
func (r *Ranks) collect(rank int, of *results, left int64, what string) error {
	if of.left.Load() > left {
		if err := r.await(rank, what, func() bool { return of.left.Load() <= left }); err != nil {
			r.giveUp(of)
			return err
		}
	}
	if err := of.failed.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// giveUp gives up the answers that are yet to come.
func (r *Ranks) giveUp(of *results) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, a := range r.asked {
		if a.of == of {
			delete(r.asked, number)
			of.left.Add(-1)
			r.underWay(&r.links[a.target], -a.bytes)
		}
	}
}

// answered takes an answer. The goroutine of the courier calls it.
func (r *Ranks) answered(from int, b []byte) {
	const head = answerHead - courier.Head
	if len(b) < head {
		return
	}
	number, became := binary.LittleEndian.Uint64(b[8-courier.Head:]), b[1]
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.asked[number]
	if a == nil || a.target != from {
		return
	}
	delete(r.asked, number)
	if became != wasDone {
		err := refused(became, b[head:])
		a.of.failed.CompareAndSwap(nil, &err)
	} else if a.take != nil {
		a.take(b[head:])
	}
	r.underWay(&r.links[from], -a.bytes)
	a.of.left.Add(-1)
	comm.Notify(r.own, r.own.Rank())
}
