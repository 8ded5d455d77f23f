package suci

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/suci/internal/protocol"
	"github.com/gopvas/gopvas/suci/internal/udp"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// Endpoint is one UDP socket and all that goes over it. All its methods may be called
// from several goroutines at once.
type Endpoint struct {
	options Options

	// The lock of the loop guards all that follows.
	machine *protocol.Machine
	socket  *udp.Socket
	batch   *protocol.Batch
	inbox   [wire.Lanes]queue // blocks to be read
	unread  atomic.Int64      // how many; anybody reads it
	peers   map[ID]*Peer
	blocks  []*outgoing // free ones
	closed  bool
	failure error // of the socket

	drive
}

// Open opens an endpoint.
func Open(o Options) (*Endpoint, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	start := time.Now()
	if o.With != nil {
		start = o.With.start
	}
	socket, err := udp.Open(o.Listen, sockBuffer, start)
	if err != nil {
		return nil, fmt.Errorf("suci: open endpoint: %w", err)
	}
	e := &Endpoint{options: o, socket: socket, batch: protocol.NewBatch(o.Packet), peers: map[ID]*Peer{}}
	e.machine = protocol.New(e.options.config((*handler)(e), socket))
	if err := e.join(start); err != nil {
		_ = socket.Close()
		return nil, fmt.Errorf("suci: open endpoint: %w", err)
	}
	return e, nil
}

// join has the endpoint driven, by the loop of another one or by one of its own.
func (e *Endpoint) join(start time.Time) (err error) {
	if with := e.options.With; with != nil {
		return e.drive.init(e, with.loop)
	}
	l, err := newLoop(&e.options, start)
	if err != nil {
		return err
	}
	return e.drive.init(e, l)
}

// Addr is the address that the endpoint listens on.
func (e *Endpoint) Addr() netip.AddrPort { return e.socket.Local() }

// Self is the endpoint's own ID.
func (e *Endpoint) Self() ID { return e.options.Self }

// Destination puts a peer into the address table, or gives it another address. It sends
// nothing: a session is opened with the first block. Peers that send blocks to this
// endpoint come into the table by themselves.
func (e *Endpoint) Destination(id ID, addr netip.AddrPort) (*Peer, error) {
	if id == e.options.Self {
		return nil, fmt.Errorf("suci: add destination %d: that is this endpoint", id)
	}
	if !addr.IsValid() || addr.Port() == 0 {
		return nil, fmt.Errorf("suci: add destination %d: address %v has no port", id, addr)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	e.machine.Add(id, addr)
	return e.peer(id), nil
}

// Peer finds a peer of the address table, nil if there is none of that ID.
func (e *Endpoint) Peer(id ID) *Peer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.machine.Peer(id) == nil {
		return nil
	}
	return e.peer(id)
}

// peer returns the handle of a peer that the machine knows.
func (e *Endpoint) peer(id ID) *Peer {
	p := e.peers[id]
	if p == nil || p.state != e.machine.Peer(id) {
		p = &Peer{endpoint: e, state: e.machine.Peer(id)}
		e.peers[id] = p
	}
	return p
}

// Remove takes a peer out of the address table and tells it. Blocks that wait for it fail
// with ErrGone.
func (e *Endpoint) Remove(p *Peer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.machine.Peer(p.ID()) != p.state {
		return
	}
	e.batch.Reset()
	e.machine.Remove(e.now(), p.state, e.batch)
	e.socket.Send(e.batch.Trains)
	delete(e.peers, p.ID())
	e.announce()
}

// SetMemory changes Options.PeerMemory and Options.Memory. For a peer that is at least twice Options.Block, since
// peers know the longest block that this endpoint takes. If it is more than before, senders that were held back for
// want of memory go on. If it is less, what is held stays until it is read, and new blocks wait for that.
func (e *Endpoint) SetMemory(peer, all int) error {
	if least := 2 * e.options.Block; peer < least || all < peer {
		return fmt.Errorf("suci: set memory: %d bytes and %d per peer; give at least %d per peer, "+
			"twice Options.Block, and in all no less than for one peer", all, peer, least)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.machine.SetMemory(peer, all)
	e.poke(e.now())
	return nil
}

// Flush waits until all peers have acknowledged all blocks, and returns the first error
// of a block that was copied, since the last Flush.
func (e *Endpoint) Flush(ctx context.Context) error {
	e.mu.Lock()
	var peers []*Peer
	for _, p := range e.peers {
		peers = append(peers, p)
	}
	e.mu.Unlock()
	for _, p := range peers {
		if err := p.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close tells the peers and closes the socket. Blocks that are not acknowledged fail with
// ErrClosed: call Flush before to be sure that all have arrived.
func (e *Endpoint) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.batch.Reset()
	e.machine.Close(e.now(), e.batch)
	e.socket.Send(e.batch.Trains)
	e.closed = true
	e.announce()
	e.leaveLoop()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.socket.Close()
}

// Counters are what an endpoint has counted since it was opened.
type Counters struct {
	protocol.Counters
	Socket udp.Counters
	Waits  uint64 // system calls that waited, of all endpoints of the loop
}

// Counters reads the counters.
func (e *Endpoint) Counters() Counters {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Counters{e.machine.Counters(), e.socket.Counters, e.waits}
}

// Flow is the state of the flow to and from a peer.
type Flow = protocol.Flow

// Flows reads the flow state of all peers.
func (e *Endpoint) Flows() []Flow {
	e.mu.Lock()
	defer e.mu.Unlock()
	var flows []Flow
	now := e.now()
	e.machine.Peers(func(p *protocol.Peer) { flows = append(flows, p.Flow(now)) })
	return flows
}

// Acknowledged is how many bytes of blocks peers have acknowledged, also of blocks that are not done.
// The done of Start may call it, too.
func (e *Endpoint) Acknowledged() uint64 { return e.machine.Acknowledged() }

// Rate is the highest of the last rates in bytes per second at which bytes came to all peers together, 0: not
// known. Most often it is not the network that makes a transfer slow. Any goroutine may call it.
func (e *Endpoint) Rate() float64 { return e.machine.Rate() }

// handler is the endpoint as the machine sees it, with the lock held.
type handler Endpoint

// Deliver queues a block for Read.
func (h *handler) Deliver(in *protocol.Incoming) {
	h.inbox[in.Priority].push(in)
	h.unread.Add(1)
	h.news = true
}

// Changed tells the program.
func (h *handler) Changed(p *protocol.Peer, c Change) {
	h.news = true
	if h.options.OnChange != nil {
		h.options.OnChange(p.ID(), c)
	}
}

// queue is blocks in order. Its zero value is empty.
type queue struct {
	blocks []*protocol.Incoming
	head   int
}

func (q *queue) len() int { return len(q.blocks) - q.head }

func (q *queue) push(in *protocol.Incoming) {
	if q.head > 0 && len(q.blocks) == cap(q.blocks) {
		n := copy(q.blocks, q.blocks[q.head:])
		clear(q.blocks[n:])
		q.blocks, q.head = q.blocks[:n], 0
	}
	q.blocks = append(q.blocks, in)
}

func (q *queue) pop() *protocol.Incoming {
	in := q.blocks[q.head]
	q.blocks[q.head] = nil
	q.head++
	if q.head == len(q.blocks) {
		q.blocks, q.head = q.blocks[:0], 0
	}
	return in
}
