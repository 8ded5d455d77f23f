package net

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/msg/btl/net/landing"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/suci"
)

var _ btl.Messages = (*Module)(nil)

const (
	// eagerFactor is how much longer eager messages may be than within a node: the copy costs
	// less than another round trip. With several devices it is sharedFactor, since an eager message
	// goes by one device, and a longer one by all.
	eagerFactor  = 16
	sharedFactor = 4

	creditMessages = 1024    // unreleased, from one rank to another
	creditBytes    = 1 << 20 // likewise; more than the longest eager message

	queueLimit = 4 << 20 // bytes of messages to a rank that it has not acknowledged

	// partSize is how many bytes travel at once between buffers with layouts.
	partSize = 512 << 10

	// spin is how long a rank that may poll does so, each time, before it sleeps in its
	// socket: about as long as it takes to wake up. A long message then keeps it awake.
	spin = 50 * time.Microsecond
)

// Module is the access of one rank to the ranks of other nodes.
type Module struct {
	root     *job.Root
	rank     int
	inbox    *shm.Event
	waits    atomic.Pointer[shm.Waiter] // see SetWaiter
	devices  *devices.Set
	endpoint *suci.Endpoint // of all devices
	eager    int

	peers    []*peer // by rank; nil before the first contact
	pile     []byte  // a message that is being put together
	frame    btl.Frame
	arrivals queue // messages to be delivered
	loans    loans
	owing    []*peer         // that are to be told of credit
	sends    []*sendTransfer // by id
	idle     []*sendTransfer
	landings landing.Table[*recvTransfer]
	pool     []*recvTransfer
	parts    parts
	gone     int // how many ranks had gone when all of those were buried
	leaving  []*peer
	counters btl.Counters
	noCredit bool // why the last Send was refused
	sleeps   atomic.Uint64
	looks    looks

	fresh  atomic.Bool                 // the keeper has taken something in
	look   atomic.Pointer[func() bool] // see attend.go
	kept   bool                        // the watcher is enlisted; of the keeper
	closed atomic.Bool

	watching sync.WaitGroup
}

// peer is a rank of another node.
type peer struct {
	devices.Peer

	// Messages to the peer, modulo 2^32: sent, and released there.
	sent, sentBytes         uint32
	released, releasedBytes uint32

	// Messages from the peer: released here, and told to it.
	freed, freedBytes uint32
	told, toldBytes   uint32
	owing             bool // in Module.owing
}

// UnreachableError says that packets to a rank are not answered.
type UnreachableError = devices.UnreachableError

// Open opens the socket of a rank, on the address that the job gives its node, and tells
// all ranks where it is. In a job without such an address it is for visitors, on all addresses of this machine.
func Open(root *job.Root, rank int) (*Module, error) {
	if rank < 0 || rank >= root.Ranks() {
		return nil, fmt.Errorf("net: open: %w", &fault.RankError{Rank: rank, Size: root.Ranks()})
	}
	m := &Module{
		root: root, rank: rank, inbox: root.Inbox(rank),
		peers: make([]*peer, root.Places()),
		eager: eagerLimit(root),
	}
	m.SetWaiter(shm.NewWaiter(root.WaitPolicy()))
	m.pile = make([]byte, headSize+m.eager)
	form, err := exchange.ParseForm(cmp.Or(root.Settings().Exchange, exchange.Auto.String()))
	if err == nil {
		err = m.open(form)
	}
	if err != nil {
		return nil, fmt.Errorf("net: open: %w", err)
	}
	m.watching.Go(m.watch)
	shm.Attend(attendants, 0)
	root.SetAddresses(rank, m.devices.Addresses()...)
	return m, nil
}

// open opens the devices.
func (m *Module) open(form exchange.Form) (err error) {
	root := m.root
	o := devices.Options{Root: root, Rank: m.rank, Addresses: root.Devices(), Form: form,
		Locate: m.landings.Locate, Peer: m.devicePeer, Where: root.Addresses, Read: m.read}
	o.Suci = suci.Options{
		Encrypt: root.Settings().Encrypt, Spin: spin, Hold: m.shares,
		Self: suci.ID(job.NetName(root, m.rank)), KeyOf: m.keyOf, Key: suci.Key(root.Key()), MaxPeers: root.Places(),
		Timeout: root.Settings().PeerTimeout, OnNews: m.onNews, OnKeep: m.onKeep, QueueLimit: queueLimit,
	}
	if root.Spin() == 0 { // more ranks than CPUs, or --spin 0
		o.Suci.Spin = 0
	}
	switch {
	case root.Host().IsValid():
	case root.Nodes() == 1:
		o.Addresses = []netip.Addr{netip.IPv4Unspecified()}
	default:
		return fmt.Errorf("the job has no address for node %d", root.Here())
	}
	if m.devices, err = devices.Open(o); err == nil {
		m.endpoint = m.devices.Endpoint(0)
	}
	return err
}

// eagerLimit is the length of the longest eager message.
func eagerLimit(root *job.Root) int {
	factor := eagerFactor
	if len(root.Devices()) > 1 {
		factor = sharedFactor
	}
	return min(factor*root.Settings().EagerLimit, job.MaxEagerLimit)
}

// attendants are the goroutines of a module: watch, and that of the endpoints.
const attendants = 2

// of returns the record of the peer with an ID, nil if there is none.
func (m *Module) of(id suci.ID) *peer {
	rank, ok := job.NetNamed(m.root, uint32(id))
	if !ok {
		return nil
	}
	return m.peer(rank)
}

// devicePeer is of, for package devices.
func (m *Module) devicePeer(id suci.ID) *devices.Peer {
	if p := m.of(id); p != nil {
		return &p.Peer
	}
	return nil
}

// keyOf is that of suci.Options: the ranks of each other job have a key for this one.
func (m *Module) keyOf(id suci.ID) (key suci.Key, ok bool) {
	rank, ok := job.NetNamed(m.root, uint32(id))
	if ok && m.root.Visits(rank) {
		return suci.Key(m.root.VisitorKey(rank)), true
	}
	return suci.Key(m.root.Key()), ok && m.root.Nodes() > 1
}

// peer returns the record of a rank. It returns nil for this rank, and if there is no such rank.
func (m *Module) peer(rank int) *peer {
	if uint(rank) >= uint(len(m.peers)) || rank == m.rank {
		return nil
	}
	p := m.peers[rank]
	if p == nil {
		p = &peer{}
		m.devices.Add(&p.Peer, rank, suci.ID(job.NetName(m.root, rank)))
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
	if p.Buried() || m.devices.Failed() != nil || !m.devices.Find(&p.Peer) {
		return nil
	}
	return p
}

// EagerLimit implements btl.Messages.
func (m *Module) EagerLimit() int { return m.eager }

// Flush waits until the peers have acknowledged all that was sent to them, or have gone.
func (m *Module) Flush(ctx context.Context) error {
	for _, p := range m.peers {
		for p != nil && p.Reachable() && !m.root.Gone(p.Rank()) {
			done, err := m.flush(ctx, p)
			if err != nil {
				return m.devices.Unreachable(&p.Peer, err)
			}
			if done || ctx.Err() != nil {
				break
			}
		}
	}
	m.devices.Publish()
	return ctx.Err()
}

// flush is Flush for one peer and a short time.
func (m *Module) flush(ctx context.Context, p *peer) (done bool, err error) {
	short, cancel := context.WithTimeout(ctx, flushLook)
	defer cancel()
	if !m.devices.Several() {
		err = p.Flush(short)
		if short.Err() != nil {
			return false, nil
		}
		return err == nil, err
	}
	// A block that is done ends the rest. If the keeper has found it in between, fresh says so, or its news wakes the
	// watcher, which is enlisted for that.
	m.inbox.Enlist(1)
	defer m.inbox.Enlist(-1)
	news := func() bool { return m.fresh.Load() || m.devices.Failed() != nil }
	for end, _ := short.Deadline(); short.Err() == nil && m.devices.Failed() == nil; {
		m.endpoint.Poll()
		m.sort() // arrivals are for the next Poll: nobody sleeps
		if m.devices.Acknowledged(&p.Peer) {
			return true, nil
		}
		if _, err := m.endpoint.Rest(time.Until(end), false, news); err != nil {
			return false, err
		}
	}
	return false, m.devices.Failed()
}

// flushLook is how often Flush looks whether a peer has gone.
const flushLook = 50 * time.Millisecond

// Close closes the socket. What was not acknowledged is lost: see Flush.
func (m *Module) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.devices.Publish()
	m.inbox.Enlist(1)
	m.inbox.Notify() // ends watch
	m.inbox.Enlist(-1)
	m.watching.Wait()
	slots := 0
	if m.look.Load() != nil {
		slots = 1
	}
	shm.Attend(-attendants, -slots)
	return m.devices.Close()
}

// Capabilities implements btl.Messages.
func (m *Module) Capabilities() btl.Capabilities {
	c := btl.Capabilities{SetWaiter: m.SetWaiter, Settled: m.Settled, Attend: m.Attend}
	if m.devices.Several() {
		c.Together = m.Together
	}
	return c
}

// Counters implements btl.Messages.
func (m *Module) Counters() btl.Counters {
	m.counters.Sleeps = m.sleeps.Load()
	m.devices.Publish()
	return m.counters
}

// Together is that of btl.Capabilities, for several devices.
func (m *Module) Together(members []btl.Member) {
	var list []devices.Member
	for _, o := range members {
		if p := m.peer(o.Peer); p != nil && !p.Buried() && o.Bytes > m.eager {
			list = append(list, devices.Member{Member: o, To: &p.Peer})
		}
	}
	m.devices.Together(list)
}

// Devices are the network devices by which the rank reaches others.
func (m *Module) Devices() *devices.Set { return m.devices }
