package job

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// Op is the kind of call in which a rank waits.
type Op uint32

// The calls that wait.
const (
	OpNone Op = iota
	OpSend
	OpRecv
	OpProbe
	OpWait       // for any of several operations, or for one that is no message
	OpCollective // see Waiting.Collective
	OpReady      // a partitioned send, of which the rank itself has not made all partitions ready
)

// String returns the name of the call, in lower case.
func (o Op) String() string {
	names := [...]string{"none", "send", "recv", "probe", "wait", "collective", "pready"}
	if int(o) < len(names) {
		return names[o]
	}
	return "unknown"
}

// AnyPeer is Waiting.Peer of a wait for whatever rank comes first.
const AnyPeer = -1

// Waiting describes the wait of a rank.
type Waiting struct {
	Op      Op
	Call    string // as the program names its call; "": as Op says. The first 32 bytes are stored
	Peer    int32  // rank, or AnyPeer
	Tag     int32  // as the caller gave it
	Context uint32 // of the communicator
	Bytes   uint64 // length of the buffer
	Since   int64  // CLOCK_MONOTONIC, in nanoseconds: the same clock in all processes
	Seen    int64  // likewise: when the rank said this, which may be later than Since
	Place   uint64 // address in the rank's memory where the program goes on after its call; 0: not known
	Source  string // "file:line function" of the call in a program in Go; "": not known. The first 96 bytes are stored
	Refused string // "call: cause" of the last call that the rank was refused; "": none. The first 128 bytes are stored
	Others  bool   // what is not seen here may end the wait: another goroutine or thread, a limit of time, another job
	Threads bool   // with Others: nothing but another goroutine or thread of the rank may

	// Collective is of OpCollective; Peer, Tag and Bytes then mean nothing. Of OpWait with AnyPeer it has the ranks of
	// which one is enough; none: any rank. Of OpReady its Number is the first partition that is not ready; Bytes is how
	// many are not.
	Collective Collective
}

// waitingBlock is the record in shared memory. Only the rank writes it, any
// process reads it, at any time: a sequence lock.
//
// Writer: seq+1 (odd: being written), the fields, seq+2 (even). Reader: seq (S1),
// the fields, seq again (S2); the fields are one record of the writer if S1 is
// even and equal to S2. All are atomic operations and so in one total order: a
// field that was written after S1 read an even number comes after an odd seq, which
// S2 then finds, or finds outgrown. A reader gives up after some tries: a rank that
// was killed while writing leaves an odd number for ever, and one that keeps
// changing its record is not stuck.
type waitingBlock struct {
	seq   atomic.Uint32
	op    atomic.Uint32 // OpNone: waits for nothing
	peer  atomic.Int32
	tag   atomic.Int32
	ctx   atomic.Uint32
	more  atomic.Uint32 // 1: Waiting.Others; 2: Waiting.Threads, too
	bytes atomic.Uint64
	since atomic.Int64
	seen  atomic.Int64

	call       [4]atomic.Uint64 // see NameCalls
	collective collectiveBlock  // of operations that name ranks
	place      atomic.Uint64
	source     [sourceWords]atomic.Uint64
	refused    [textWords]atomic.Uint64
}

// names tells whether a wait for the operation has a Collective, which names ranks or parts.
func (o Op) names() bool { return o == OpCollective || o == OpWait || o == OpReady }

const (
	sourceWords = 12 // the length of Waiting.Source
	textWords   = 16 // of Waiting.Refused, which is the longest text
)

// SetWaiting notes the wait of the rank. Only the rank itself calls it; of
// several goroutines that wait at a time the last to call is seen, until any of them
// stops waiting. See NameCalls for w.Call.
func (r *Root) SetWaiting(rank int, w Waiting) {
	k := &r.block(rank).waiting
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	k.seq.Add(1)
	k.op.Store(uint32(w.Op))
	k.peer.Store(w.Peer)
	k.tag.Store(w.Tag)
	k.ctx.Store(w.Context)
	k.bytes.Store(w.Bytes)
	k.since.Store(w.Since)
	k.seen.Store(w.Seen)
	switch {
	case !w.Others:
		k.more.Store(0)
	case w.Threads:
		k.more.Store(2)
	default:
		k.more.Store(1)
	}
	if r.calls != nil {
		w.Call, w.Place = r.calls()
	}
	k.place.Store(w.Place)
	if w.Call != "" || k.call[0].Load() != 0 {
		storeText(k.call[:], w.Call)
	}
	if w.Source != "" || k.source[0].Load() != 0 {
		storeText(k.source[:], w.Source)
	}
	if w.Refused != "" || k.refused[0].Load() != 0 {
		storeText(k.refused[:], w.Refused)
	}
	if w.Op.names() {
		k.collective.store(&w.Collective)
	}
	k.seq.Add(1)
}

// NameCalls has SetWaiting ask calls for the program's name of the current function, and for Waiting.Place. calls
// returns "" and 0 if it does not know. NameCalls is called before the rank waits for the first time.
func (r *Root) NameCalls(calls func() (name string, place uint64)) { r.calls = calls }

// ClearWaiting notes that the rank waits no longer. The rules of SetWaiting apply.
func (r *Root) ClearWaiting(rank int) {
	b := r.block(rank)
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	b.waiting.seq.Add(1)
	b.waiting.op.Store(uint32(OpNone))
	b.waiting.seq.Add(1)
}

// Waiting returns the wait of the rank. ok is false if the rank waits for nothing, or ends after an error or a fatal
// signal. It is so, too, if the rank was killed while it wrote the record.
func (r *Root) Waiting(rank int) (w Waiting, ok bool) {
	k := &r.block(rank).waiting
	ok = k.read(func() {
		w = Waiting{
			Op: Op(k.op.Load()), Peer: k.peer.Load(), Tag: k.tag.Load(),
			Context: k.ctx.Load(), Bytes: k.bytes.Load(), Since: k.since.Load(), Seen: k.seen.Load(),
			Call: loadText(k.call[:]), Place: k.place.Load(), Source: loadText(k.source[:]),
			Others: k.more.Load() != 0, Threads: k.more.Load() == 2,
			Refused: loadText(k.refused[:]),
		}
		if w.Op.names() {
			w.Collective = k.collective.load()
		}
	})
	if s := r.State(rank); !ok || w.Op == OpNone || s == StateAborted || s == StateFaulted {
		return Waiting{}, false
	}
	return w, true
}

// read calls load until nothing has been written meanwhile. It returns false if that does not
// come about.
func (k *waitingBlock) read(load func()) bool {
	return shm.Retry(func() bool {
		seq := k.seq.Load()
		load()
		return seq%2 == 0 && seq == k.seq.Load()
	})
}
