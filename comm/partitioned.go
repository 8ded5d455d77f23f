package comm

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// Partitioned is a message that is sent, in one piece, when all of its partitions are ready.
// It matches receives from PartitionedRecvInit only.
//
// MPI 4.1 chapter 4.
type Partitioned struct {
	c        *Comm
	buf      Buffer
	dst, tag int
	missing  atomic.Int64 // partitions that are not ready
	inside   pml.Inside
	send     pml.Request // written before sent
	sent     atomic.Bool
}

// partCounts counts the partitioned sends and receives of a communicator by peer and tag. The
// k-th send matches the k-th receive, in whatever order they become ready, so k is a part of
// the message's tag.
type partCounts struct {
	mu    sync.Mutex
	count map[partKey]uint32
}

type partKey struct {
	send      bool
	peer, tag int
}

// tag returns the tag of the next message: the bits of k, in reverse order, are in its upper
// bits. They overlap with the program's tag only if both numbers are large.
func (p *partCounts) tag(key partKey) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == nil {
		p.count = map[partKey]uint32{}
	}
	k := p.count[key]
	p.count[key]++
	return key.tag ^ int(bits.Reverse32(k)>>1)
}

// NewPartitioned returns a message to rank dst.
//
// MPI 4.1 section 4.2.1 (MPI_Psend_init).
func NewPartitioned(c *Comm, buf Buffer, dst, tag int) (*Partitioned, error) {
	const op = "psend init"
	peer, err := c.to(dst)
	if err == nil {
		var probe pml.Request // the engine looks at the arguments
		if probe, err = c.engine.SendInit(partitioned.of(idOf(c.context)), peer, tag, buf, pml.Standard); err == nil {
			err = c.engine.Free(&probe)
		}
	}
	if err != nil {
		return nil, WrapSend(op, dst, tag, err)
	}
	return &Partitioned{c: c, buf: buf, dst: peer, tag: c.parts.tag(partKey{true, dst, tag}), inside: c.engine.Inside()}, nil
}

// Begin begins a message of the given number of partitions. The request is complete when the
// message was sent.
func (p *Partitioned) Begin(partitions int) (Request, error) {
	p.missing.Store(int64(partitions))
	p.sent.Store(false)
	r, err := p.c.engine.Begin(partitionedTask{p}, p.c.context)
	return Request{r}, Wrap("start partitioned send", err)
}

// Ready says that one more partition can be sent. Any goroutine may call it.
//
// MPI 4.1 section 4.2.2 (MPI_Pready).
func (p *Partitioned) Ready() error {
	if p.missing.Add(-1) > 0 {
		return nil
	}
	r, err := p.c.engine.IsendBuffer(partitioned.of(idOf(p.c.context)), p.dst, p.tag, p.buf, pml.Standard)
	if err != nil {
		return WrapSend("pready", p.dst, p.tag, err)
	}
	p.send = r
	p.sent.Store(true)
	p.c.engine.Progress() // asks the task
	return nil
}

// PartitionedRecvInit makes a persistent request for a partitioned message.
//
// MPI 4.1 section 4.2.1 (MPI_Precv_init).
func PartitionedRecvInit(c *Comm, buf Buffer, src, tag int) (Request, error) {
	var r pml.Request
	peer, err := c.from(src)
	if err == nil {
		r, err = c.engine.RecvInit(partitioned.of(idOf(c.context)), peer, c.parts.tag(partKey{false, src, tag}), buf)
		r.Unit = c.unit(1)
	}
	return Request{r}, WrapReceive("precv init", src, tag, err)
}

// partitionedTask is a Partitioned as the engine sees it.
type partitionedTask struct{ *Partitioned }

func (partitionedTask) Start() error          { return nil }
func (partitionedTask) Release()              {}
func (partitionedTask) Describe(*job.Waiting) {}

// Progress is called under the engine's lock.
func (t partitionedTask) Progress() (bool, error) {
	if !t.sent.Load() {
		return false, nil
	}
	_, _, done, err := t.inside.Take(&t.send)
	return done, err
}
