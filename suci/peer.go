package suci

import (
	"context"
	"errors"
	"time"

	"github.com/gopvas/gopvas/suci/internal/protocol"
)

// Block is a block to be written.
type Block struct {
	Data     []byte
	Priority uint8     // 0 to 7, 7 is the most urgent
	Deadline time.Time // the block is given up then; zero: never
	Place    uint32    // what the peer expects the block as, see Expect; 0: nothing
}

// Peer is an entry of an endpoint's address table.
type Peer struct {
	endpoint *Endpoint
	state    *protocol.Peer
	queued   int   // bytes copied and not acknowledged
	err      error // the first of a block that was copied, since the last Flush
}

// copyLimit is the length up to which Write copies a block instead of waiting until it is
// acknowledged.
const copyLimit = 16 << 10

// ErrWouldBlock says that a block cannot be queued now.
var ErrWouldBlock = errors.New("suci: write block: the queue to the peer is full; wait until it has room")

// outgoing is a block on its way, or a free one, of which only the buffer is of any use: see block.
type outgoing struct {
	protocol.Outgoing
	peer   *Peer
	copied bool        // to buffer; else it is of Start, which has given done, or Write waits for it
	buffer []byte      // kept for the next block that is copied
	done   func(error) // nil: nobody wants to know
	ended  bool        // of a block that Write waits for
	err    error
}

// ID is the peer's ID.
func (p *Peer) ID() ID { return p.state.ID() }

// Write sends a block. A short block (up to 16 KiB) is copied, and Write returns as soon
// as the queue has room for it; Flush tells whether it has arrived. With a longer one
// Write returns when the peer has all of it. If the context ends first, the block is
// given up.
func (p *Peer) Write(ctx context.Context, b Block) error {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(b.Data) <= copyLimit {
		if !p.room(len(b.Data)) {
			if err := e.await(ctx, func() bool { return p.room(len(b.Data)) }); err != nil {
				return err
			}
		}
		return p.queueCopy(b)
	}
	o, err := p.queue(b, nil)
	if err != nil {
		return err
	}
	if err := e.await(ctx, func() bool { return o.ended }); err != nil && !o.ended {
		now := e.now()
		e.machine.Cancel(now, p.state, &o.Outgoing, err)
		e.poke(now)
	}
	err = o.err
	e.recycle(o)
	return err
}

// TryWrite sends a copy of a block if the queue has room for it, else it returns
// ErrWouldBlock. It does not wait.
func (p *Peer) TryWrite(b Block) error {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	if !p.room(len(b.Data)) {
		return ErrWouldBlock
	}
	return p.queueCopy(b)
}

// Start sends a block without a copy and without waiting. The data must stay as it is
// until done is called, from any goroutine that uses the endpoint. done must not block
// and must not call the endpoint.
func (p *Peer) Start(b Block, done func(error)) error {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := p.queue(b, done)
	return err
}

// room tells whether so many bytes can be copied now. One block always can. Where nothing goes any
// more there is room, too: who waits for it is told why.
func (p *Peer) room(n int) bool {
	e := p.endpoint
	return p.queued == 0 || p.queued+n <= e.options.QueueLimit || e.closed || e.failure != nil
}

// queueCopy queues a copy of a block.
func (p *Peer) queueCopy(b Block) error {
	o := p.endpoint.block(p)
	o.copied, o.buffer = true, append(o.buffer, b.Data...)
	b.Data = o.buffer
	p.queued += len(b.Data)
	if err := p.send(o, b); err != nil {
		p.queued -= len(b.Data)
		p.endpoint.recycle(o)
		return err
	}
	return nil
}

// queue queues a block without a copy.
func (p *Peer) queue(b Block, done func(error)) (*outgoing, error) {
	o := p.endpoint.block(p)
	o.done = done
	if err := p.send(o, b); err != nil {
		p.endpoint.recycle(o)
		return nil, err
	}
	return o, nil
}

func (p *Peer) send(o *outgoing, b Block) error {
	e := p.endpoint
	switch {
	case e.failure != nil:
		return e.failure
	case e.machine.Peer(p.ID()) != p.state:
		return ErrGone
	}
	o.Data, o.Priority, o.Place, o.Deadline = b.Data, b.Priority, b.Place, 0
	if !b.Deadline.IsZero() {
		o.Deadline = max(1, protocol.Time(b.Deadline.Sub(e.start)))
	}
	now := e.now()
	if err := e.machine.Send(now, p.state, &o.Outgoing); err != nil {
		return err
	}
	e.poke(now)
	return nil
}

// block returns an outgoing of which nothing is set but the peer. Its buffer is empty.
func (e *Endpoint) block(p *Peer) *outgoing {
	n := len(e.blocks)
	if n == 0 {
		o := &outgoing{peer: p}
		o.Done = o.end
		return o
	}
	o := e.blocks[n-1]
	e.blocks = e.blocks[:n-1]
	o.peer = p
	return o
}

// mostFree bounds the blocks that are kept for reuse, with their buffers.
const mostFree = 256

// recycle takes back an outgoing that the machine does not have (any more), whatever has become of it.
func (e *Endpoint) recycle(o *outgoing) {
	*o = outgoing{Outgoing: protocol.Outgoing{Done: o.Done}, buffer: o.buffer[:0]}
	if len(e.blocks) < mostFree {
		e.blocks = append(e.blocks, o)
	}
}

// end is told by the machine that a block is done.
func (o *outgoing) end(_ *protocol.Outgoing, err error) {
	p := o.peer
	e := p.endpoint
	e.news = true
	switch {
	case o.done != nil:
		o.done(err)
		e.recycle(o)
	case o.copied:
		p.queued -= len(o.buffer)
		if p.err == nil {
			p.err = err
		}
		e.recycle(o)
	default:
		o.ended, o.err = true, err // Write recycles it
	}
}

// Wait waits until a block of so many bytes can be written without waiting for room. None that was written before
// waits for a grant of the peer then: the receiver reads as fast as the program writes.
func (p *Peer) Wait(ctx context.Context, size int) error {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.await(ctx, func() bool {
		return p.room(size) && (!p.state.Blocked() || e.closed || e.failure != nil)
	})
}

// Flush waits until the peer has acknowledged all blocks that were not given up. It returns the first error, since
// the last Flush, of a block that was copied.
func (p *Peer) Flush(ctx context.Context) error {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.await(ctx, func() bool { return p.state.Queue() == 0 }); err != nil {
		return err
	}
	err := p.err
	p.err = nil
	return err
}

// QueueLength is the number of blocks that the peer has not acknowledged, and that were not given up.
func (p *Peer) QueueLength() int {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	return p.state.Queue()
}

// Retransmit asks the peer now what it lacks, and sends that again. Without it a timer
// does, in about a round trip.
func (p *Peer) Retransmit() {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	e.machine.Retransmit(now, p.state)
	e.poke(now)
}

// SetPace bounds the bytes per second to the peer ("slow write"); 0 leaves the pace to
// the protocol.
func (p *Peer) SetPace(bytesPerSecond int) {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	p.state.SetPace(bytesPerSecond)
}

// Flow reads the flow state.
func (p *Peer) Flow() Flow {
	e := p.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	return p.state.Flow(e.now())
}
