package comm

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Partitioned messages. Invariant: the k-th NewPartitioned for a peer and tag matches the k-th PartitionedRecvInit of
// that peer and tag, in whatever order the messages become ready.
//
// Each partitioned message of a sender on a communicator has a number of its own. NewPartitioned sends the number with
// the program's tag in one context (pairing), and PartitionedRecvInit receives it there. Messages of one tag do not
// overtake, so the k-th receive gets the number of the k-th send. The data follow in another context (partitioned),
// with the number as the tag.

// Partitioned is a message that is sent, in one piece, when all of its partitions are ready.
// It matches receives from PartitionedRecvInit only.
//
// MPI 4.1 chapter 4.
type Partitioned struct {
	c           *Comm
	buf         Buffer
	dst         int // a number of the engine
	tag, number int
	missing     atomic.Int64 // partitions that are not ready
	inside      pml.Inside
	send        pml.Request // written before sent, as is err
	err         error
	sent        atomic.Bool

	// Unready returns the first partition that is not ready. The caller of Ready knows it; nil: it does not say.
	Unready func() int
}

// numberSize is the length of the message that has the number.
const numberSize = 4

// NewPartitioned returns a message to rank dst. It waits for nobody.
//
// MPI 4.1 section 4.2.1 (MPI_Psend_init).
func NewPartitioned(c *Comm, buf Buffer, dst, tag int) (*Partitioned, error) {
	const op = "psend init"
	peer, err := c.to(dst)
	if err != nil {
		return nil, WrapSend(op, dst, tag, err)
	}
	n := c.partitioned.Add(1) - 1
	if n > MaxTag {
		return nil, WrapSend(op, dst, tag, fmt.Errorf("more than %d partitioned sends on one communicator", MaxTag))
	}
	number := binary.LittleEndian.AppendUint32(make([]byte, 0, numberSize), n)
	c.engine.Within(func(in pml.Inside) { err = in.Post(pairing.of(idOf(c.context)), peer, tag, pml.Mark{}, number) })
	if err != nil {
		return nil, WrapSend(op, dst, tag, err)
	}
	return &Partitioned{c: c, buf: buf, dst: peer, tag: tag, number: int(n), inside: c.engine.Inside()}, nil
}

// Begin begins a message of the given number of partitions. The request is complete when the
// message was sent.
func (p *Partitioned) Begin(partitions int) (Request, error) {
	p.missing.Store(int64(partitions))
	p.err = nil
	p.sent.Store(false)
	r, err := p.c.engine.Begin(partitionedTask{p}, p.c.context)
	return Request{r}, Wrap("start partitioned send", err)
}

// Ready says that one more partition can be sent. Any goroutine may call it. An error is that of the
// request, too.
//
// MPI 4.1 section 4.2.2 (MPI_Pready).
func (p *Partitioned) Ready() error {
	if p.missing.Add(-1) > 0 {
		return nil
	}
	p.send, p.err = p.c.engine.IsendBuffer(partitioned.of(idOf(p.c.context)), p.dst, p.number, p.buf, pml.Standard)
	failed := p.err
	p.sent.Store(true)
	p.c.engine.Progress() // asks the task
	return WrapSend("pready", p.dst, p.tag, failed)
}

// partitionedTask is a Partitioned as the engine sees it.
type partitionedTask struct{ *Partitioned }

func (partitionedTask) Start() error { return nil }
func (partitionedTask) Release()     {}

// Describe names the receiver, and before the message is on its way what this rank has not made ready.
func (t partitionedTask) Describe(w *job.Waiting) {
	w.Op, w.Peer, w.Tag, w.Bytes = job.OpSend, int32(t.dst), int32(t.tag), uint64(t.buf.Len())
	if n := t.missing.Load(); n > 0 {
		w.Op, w.Bytes, w.Collective = job.OpReady, uint64(n), job.Collective{}
		if t.Unready != nil {
			w.Collective.Number = uint64(t.Unready())
		}
	}
}

// Progress is called under the engine's lock.
func (t partitionedTask) Progress() (bool, error) {
	if !t.sent.Load() {
		return false, nil
	}
	if t.err != nil {
		return true, t.err
	}
	_, _, done, err := t.inside.Take(&t.send)
	return done, err
}

// PartitionedRecvInit makes a persistent request for a partitioned message.
//
// MPI 4.1 section 4.2.1 (MPI_Precv_init).
func PartitionedRecvInit(c *Comm, buf Buffer, src, tag int) (Request, error) {
	const op = "precv init"
	peer, err := c.from(src)
	if err != nil {
		return Request{}, WrapReceive(op, src, tag, err)
	}
	t := &partitionedReceive{
		inside: c.engine.Inside(), context: partitioned.of(idOf(c.context)), peer: peer, tag: tag, buf: buf,
	}
	if t.pair, err = c.engine.Irecv(pairing.of(idOf(c.context)), peer, tag, t.number[:]); err != nil {
		return Request{}, WrapReceive(op, src, tag, err)
	}
	r, err := c.engine.Prepare(t, c.context)
	r.Unit = c.unit(1)
	return Request{r}, WrapReceive(op, src, tag, err)
}

// partitionedReceive is a receive of a partitioned message. All but Start runs under the engine's lock.
type partitionedReceive struct {
	inside    pml.Inside
	context   uint32
	peer, tag int
	buf       Buffer

	pair   pml.Request // receives number; none when that was received
	number [numberSize]byte
	failed error // of the receive of number: then there is no message

	data   pml.Request
	begun  bool
	status pml.Status
}

// Start is called without the lock, when the task is idle.
func (t *partitionedReceive) Start() error {
	t.begun = false
	return nil
}

// Progress receives the number, once, and then the message.
func (t *partitionedReceive) Progress() (bool, error) {
	if !t.pair.None() {
		_, _, done, err := t.inside.Take(&t.pair)
		if !done {
			return false, nil
		}
		t.pair, t.failed = pml.Request{}, err
	}
	if t.failed != nil {
		return true, t.failed
	}
	if !t.begun {
		t.begun = true
		number := int(binary.LittleEndian.Uint32(t.number[:]))
		var err error
		if t.data, err = t.inside.Irecv(t.context, t.peer, number, t.buf); err != nil {
			return true, err
		}
	}
	st, _, done, err := t.inside.Take(&t.data)
	if t.status = st; t.peer != ProcNull {
		t.status.Tag = t.tag
	}
	return done, err
}

// Status is that of the message, with the program's tag.
func (t *partitionedReceive) Status() pml.Status { return t.status }

// Release is called when the request was freed. The receive of its number goes on, so that the next
// PartitionedRecvInit gets the next number.
func (t *partitionedReceive) Release() { t.inside.Leave(&t.pair) }

// Describe names the sender.
func (t *partitionedReceive) Describe(w *job.Waiting) {
	w.Op, w.Peer, w.Tag, w.Bytes = job.OpRecv, int32(t.peer), int32(t.tag), uint64(t.buf.Len())
}
