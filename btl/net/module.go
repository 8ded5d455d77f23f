package net

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/suci"
)

var (
	_ btl.Messages = (*Module)(nil)
	_ shm.Bed      = (*Module)(nil)
)

const (
	// eagerFactor is how much longer eager messages may be than within a node: the copy costs
	// less than another round trip.
	eagerFactor = 4

	creditMessages = 1024    // unreleased, from one rank to another
	creditBytes    = 1 << 20 // likewise; more than the longest eager message

	messageLane = 4 // priorities of suci; grants and short messages overtake bytes
	bytesLane   = 2

	// partSize is how many bytes travel at once between buffers with layouts.
	partSize = 512 << 10

	loopbackPacket = 8952 // bytes; the MTU of Linux' loopback is 64 KiB

	// spin is how long a rank that may poll does so, each time, before it sleeps in its
	// socket: about as long as it takes to wake up. A long message then keeps it awake.
	spin = 50 * time.Microsecond

	// silence is how long a peer may leave blocks unanswered. The supervisors notice a
	// node that is cut off long before: this is for a network that carries TCP and not UDP.
	silence = time.Minute
)

// Module is the access of one rank to the ranks of other nodes.
type Module struct {
	root     *job.Root
	rank     int
	inbox    *shm.Event
	endpoint *suci.Endpoint
	eager    int

	peers    []*peer // by rank; nil before the first contact
	pile     []byte  // a message that is being put together
	frame    btl.Frame
	arrivals queue           // messages to be delivered
	held     []suci.Received // eager messages that were not released, by token
	vacant   []uint64        // free tokens
	owing    []*peer         // that are to be told of credit
	sends    []*sendTransfer // by id
	idle     []*sendTransfer
	places   map[uint32]*recvTransfer
	pool     []*recvTransfer
	lastUsed uint32 // place
	parts    [][]byte
	gone     int // how many ranks had gone when all of those were buried
	leaving  []*peer
	counters btl.Counters
	sleeps   atomic.Uint64

	looks, mask uint64 // of Poll; see due
	fruitless   int

	fresh  atomic.Bool // the keeper has taken something in
	failed atomic.Pointer[error]
	closed atomic.Bool
}

// peer is a rank of another node.
type peer struct {
	rank   int
	id     suci.ID
	handle *suci.Peer // nil: no address is known yet
	buried bool       // has gone, and all that it has sent was handed over

	// Messages to the peer, modulo 2^32: sent, and released there.
	sent, sentBytes         uint32
	released, releasedBytes uint32

	// Messages from the peer: released here, and told to it.
	freed, freedBytes uint32
	told, toldBytes   uint32
	owing             bool // in Module.owing
}

// UnreachableError says that packets to a rank are not answered.
type UnreachableError struct {
	Rank int
	Addr netip.AddrPort
	Err  error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("net: send to rank %d at %v: %v; a firewall between the nodes must let UDP pass, "+
		"and --network must name one that all nodes share", e.Rank, e.Addr, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Open opens the socket of a rank, on the address that the job gives its node, and tells
// all ranks where it is.
func Open(root *job.Root, rank int) (*Module, error) {
	if rank < 0 || rank >= root.Ranks() {
		return nil, fmt.Errorf("net: open: %w", &job.RankError{Rank: rank, Size: root.Ranks()})
	}
	m := &Module{
		root: root, rank: rank, inbox: root.Inbox(rank), peers: make([]*peer, root.Ranks()),
		eager: min(eagerFactor*root.Settings().EagerLimit, job.MaxEagerLimit), places: map[uint32]*recvTransfer{},
	}
	m.pile = make([]byte, headSize+m.eager)
	if !root.Host().IsValid() {
		return nil, fmt.Errorf("net: open: the job has no address for node %d", root.Here())
	}
	listen := netip.AddrPortFrom(root.Host(), 0)
	polls := spin
	if root.Spin() == 0 { // there are more ranks than CPUs
		polls = 0
	}
	endpoint, err := suci.Open(suci.Options{
		Self: idOf(rank), Key: suci.Key(root.Key()), Listen: listen,
		Packet: longestPacket(listen.Addr()), MaxPeers: root.Ranks(), Timeout: silence,
		Encrypt: root.Settings().Encrypt, Spin: polls, OnNews: m.onNews, OnChange: m.onChange,
	})
	if err != nil {
		return nil, fmt.Errorf("net: open: %w", err)
	}
	m.endpoint = endpoint
	go m.watch()
	root.SetAddress(rank, endpoint.Addr())
	return m, nil
}

// idOf returns the name of a rank in suci.
func idOf(rank int) suci.ID { return suci.ID(rank + 1) }

// longestPacket returns the longest datagram to be sent from an address, 0 for the default
// of suci: a loopback takes long ones.
func longestPacket(a netip.Addr) int {
	if a.IsLoopback() {
		return loopbackPacket
	}
	return 0
}

// peer returns the record of a rank. It returns nil for this rank, and if there is no such rank.
func (m *Module) peer(rank int) *peer {
	if uint(rank) >= uint(len(m.peers)) || rank == m.rank {
		return nil
	}
	p := m.peers[rank]
	if p == nil {
		p = &peer{rank: rank, id: idOf(rank)}
		m.peers[rank] = p
	}
	return p
}

// reach returns the peer if messages can be sent to it, nil if not, or not yet.
func (m *Module) reach(rank int) *peer {
	p := m.peer(rank)
	if p == nil {
		panic(fmt.Sprintf("net: message from rank %d to %d: not a rank of another node", m.rank, rank))
	}
	switch {
	case p.buried || m.failed.Load() != nil || p.handle == nil && m.root.Gone(rank):
		return nil
	case p.handle != nil:
		return p
	}
	addr, ok := m.root.Address(rank)
	if !ok {
		return nil // the supervisor notifies the inbox when it is known
	}
	handle, err := m.endpoint.Destination(p.id, addr)
	if err != nil {
		m.fail(err)
		return nil
	}
	p.handle = handle
	return p
}

// fail has Sleep return an error.
func (m *Module) fail(err error) {
	m.failed.CompareAndSwap(nil, &err)
	m.inbox.Signal()
}

// onNews is called by the endpoint's keeper.
func (m *Module) onNews() {
	m.fresh.Store(true)
	m.inbox.Signal()
}

// onChange is called by the endpoint: a session ends only if the peer is buried or cannot
// be reached.
func (m *Module) onChange(id suci.ID, c suci.Change) {
	rank := int(id) - 1
	if c != suci.Down || m.closed.Load() || m.root.Gone(rank) {
		return
	}
	addr, _ := m.root.Address(rank)
	m.fail(&UnreachableError{Rank: rank, Addr: addr, Err: suci.ErrLost})
}

// EagerLimit implements btl.Messages.
func (m *Module) EagerLimit() int { return m.eager }

// Flush waits until the peers have acknowledged all that was sent to them, or have gone.
func (m *Module) Flush(ctx context.Context) error {
	for _, p := range m.peers {
		for p != nil && p.handle != nil && !p.buried && !m.root.Gone(p.rank) {
			short, cancel := context.WithTimeout(ctx, flushLook)
			err := p.handle.Flush(short)
			cancel()
			if err == nil || ctx.Err() != nil {
				break
			}
			if short.Err() == nil {
				return m.unreachable(p, err)
			}
		}
	}
	return ctx.Err()
}

// flushLook is how often Flush looks whether a peer has gone.
const flushLook = 50 * time.Millisecond

func (m *Module) unreachable(p *peer, err error) error {
	addr, _ := m.root.Address(p.rank)
	return &UnreachableError{Rank: p.rank, Addr: addr, Err: err}
}

// Close closes the socket. What was not acknowledged is lost: see Flush.
func (m *Module) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.inbox.Stir() // ends watch
	return m.endpoint.Close()
}

// Counters implements btl.Messages.
func (m *Module) Counters() btl.Counters {
	m.counters.Sleeps = m.sleeps.Load()
	return m.counters
}
