package net

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/suci"
)

var (
	_ btl.Messages = (*Module)(nil)
	_ shm.Bed      = (*Module)(nil)
)

const (
	// eagerFactor is how much longer eager messages may be than within a node: the copy costs
	// less than another round trip. With several devices it is sharedFactor, since an eager message
	// goes by one device, and a longer one by all.
	eagerFactor  = 16
	sharedFactor = 4

	creditMessages = 1024    // unreleased, from one rank to another
	creditBytes    = 1 << 20 // likewise; more than the longest eager message

	messageLane = 4 // priorities of suci; grants and short messages overtake bytes
	bytesLane   = 2

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
	crowd    *shm.Crowd
	devices  []*device
	endpoint *suci.Endpoint // of device 0; its Poll and Rest are those of all devices
	form     exchange.Form  // of all plans
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
	landings landings
	pool     []*recvTransfer
	parts    [][]byte
	gone     int // how many ranks had gone when all of those were buried
	leaving  []*peer
	counters btl.Counters
	noCredit bool // why the last Send was refused
	sleeps   atomic.Uint64

	looks, mask uint64 // of Poll; see due
	fruitless   int

	// See schedule.go, set.go, message.go and path.go.
	planner       exchange.Planner
	estimates     []exchange.Device
	fastest       float64 // the highest rate of a device, 0: none is known
	nearest       float64 // the least latency of a device, likewise
	usable        []*device
	sets          []*set
	plans         []*madePlan // of sets, the one that was made last at the end
	queued        int         // bytes in the queues of all devices
	startable     bool        // a device may take a piece of its queue: see pump
	seen          uint64
	sparePieces   []*piece
	spareMessages []*sentMessage
	ailing        atomic.Int32 // paths that are; the rank writes it
	retryAt       time.Time
	changes       struct {
		mu   sync.Mutex
		list []change
	}
	disturbed atomic.Bool

	fresh  atomic.Bool                 // the keeper has taken something in
	look   atomic.Pointer[func() bool] // see attend.go
	kept   bool                        // the watcher is enlisted; of the keeper
	failed atomic.Pointer[error]
	closed atomic.Bool

	watching sync.WaitGroup
}

// peer is a rank of another node.
type peer struct {
	rank   int
	id     suci.ID
	paths  []path // by device
	buried bool   // has gone, and all that it has sent was handed over

	// In a job with several devices: see message.go.
	introduced   bool   // it has been told the addresses of this rank
	number       uint32 // of the next message
	unacked      []*sentMessage
	unackedBytes int
	expected     uint32 // the number of the next message from the peer
	early        map[uint32]suci.Received

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
	Rank   int
	Addr   netip.AddrPort
	Device string // of this node, and its network; "": there is no other device
	Err    error
}

func (e *UnreachableError) Error() string {
	advice := ""
	if e.Device != "" {
		advice = "; ranks meet by device 0 (" + e.Device +
			"), the first: --devices with the others alone does without it"
	}
	return fmt.Sprintf("net: send to rank %d at %v: %v; a firewall between the nodes must let UDP pass, "+
		"and --network must name one that all nodes share%s", e.Rank, e.Addr, e.Err, advice)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Open opens the socket of a rank, on the address that the job gives its node, and tells
// all ranks where it is. In a job that has a number (job.Root.JobNumber) it is on the loopback, for visitors.
func Open(root *job.Root, rank int) (*Module, error) {
	if rank < 0 || rank >= root.Ranks() {
		return nil, fmt.Errorf("net: open: %w", &fault.RankError{Rank: rank, Size: root.Ranks()})
	}
	m := &Module{
		root: root, rank: rank, inbox: root.Inbox(rank), crowd: shm.NewCrowd(root.Oversubscribed()),
		peers: make([]*peer, root.Places()),
		eager: eagerLimit(root),
	}
	m.pile = make([]byte, headSize+m.eager)
	var err error
	if m.form, err = exchange.ParseForm(cmp.Or(root.Settings().Exchange, exchange.Auto.String())); err != nil {
		return nil, fmt.Errorf("net: open: %w", err)
	}
	devices := root.Devices()
	switch {
	case root.JobNumber() > 0:
		devices = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	case !root.Host().IsValid():
		return nil, fmt.Errorf("net: open: the job has no address for node %d", root.Here())
	}
	for number, addr := range devices {
		d, err := m.open(number, addr)
		if err != nil {
			m.closeDevices()
			return nil, err
		}
		m.devices = append(m.devices, d)
		m.endpoint = m.devices[0].endpoint
	}
	m.watching.Go(m.watch)
	shm.Attend(attendants, 0)
	root.SetAddress(rank, m.endpoint.Addr())
	return m, nil
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

func (m *Module) closeDevices() (err error) {
	for _, d := range m.devices {
		err = errors.Join(err, d.endpoint.Close())
	}
	return err
}

// idOf returns what suci calls a rank by the name that it has in all jobs.
func idOf(name int) suci.ID { return suci.ID(name + 1) }

// of returns the record of the peer with an ID, nil if there is none.
func (m *Module) of(id suci.ID) *peer {
	rank, ok := m.root.Named(uint32(id) - 1)
	if !ok {
		return nil
	}
	return m.peer(rank)
}

// keyOf is that of suci.Options in a job of one node: only visitors are reached here, each by the key of its job.
func (m *Module) keyOf(id suci.ID) (key suci.Key, ok bool) {
	rank, ok := m.root.Named(uint32(id) - 1)
	if !ok || !m.root.Visits(rank) {
		return key, false
	}
	return suci.Key(m.root.VisitorKey(rank)), true
}

// peer returns the record of a rank. It returns nil for this rank, and if there is no such rank.
func (m *Module) peer(rank int) *peer {
	if uint(rank) >= uint(len(m.peers)) || rank == m.rank {
		return nil
	}
	p := m.peers[rank]
	if p == nil {
		p = &peer{rank: rank, id: idOf(int(m.root.NameOf(rank))), paths: make([]path, len(m.devices))}
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
	if p.buried || m.failed.Load() != nil || !p.reachable() && !m.find(p) {
		return nil
	}
	return p
}

// reachable tells whether a message can be sent to the peer.
func (p *peer) reachable() bool {
	for i := range p.paths {
		if p.paths[i].handle != nil {
			return !p.buried
		}
	}
	return false
}

// find has a peer reached by device 0, if its address is known.
func (m *Module) find(p *peer) bool {
	if m.root.Gone(p.rank) {
		return false
	}
	addr, ok := m.root.Address(p.rank)
	if !ok {
		return false // the supervisor notifies the inbox when it is known
	}
	handle, err := m.endpoint.Destination(p.id, addr)
	if err != nil {
		m.fail(err)
		return false
	}
	at := &p.paths[0]
	at.handle, at.addr = handle, addr
	m.setState(at, up)
	return true
}

// fail has Sleep return an error.
func (m *Module) fail(err error) {
	m.failed.CompareAndSwap(nil, &err)
	m.inbox.Signal()
}

// EagerLimit implements btl.Messages.
func (m *Module) EagerLimit() int { return m.eager }

// Flush waits until the peers have acknowledged all that was sent to them, or have gone.
func (m *Module) Flush(ctx context.Context) error {
	for _, p := range m.peers {
		for p != nil && p.reachable() && !m.root.Gone(p.rank) {
			done, err := m.flush(ctx, p)
			if err != nil {
				return m.unreachable(p, err)
			}
			if done || ctx.Err() != nil {
				break
			}
		}
	}
	m.publish()
	return ctx.Err()
}

// flush is Flush for one peer and a short time.
func (m *Module) flush(ctx context.Context, p *peer) (done bool, err error) {
	short, cancel := context.WithTimeout(ctx, flushLook)
	defer cancel()
	if !m.several() {
		err = p.paths[0].handle.Flush(short)
		if short.Err() != nil {
			return false, nil
		}
		return err == nil, err
	}
	for short.Err() == nil && m.failed.Load() == nil {
		m.endpoint.Poll()
		m.gather()
		if m.acknowledged(p) {
			return true, nil
		}
		time.Sleep(flushTick)
	}
	if failed := m.failed.Load(); failed != nil {
		return false, *failed
	}
	return false, nil
}

// flushLook is how often Flush looks whether a peer has gone.
const flushLook = 50 * time.Millisecond

func (m *Module) unreachable(p *peer, err error) error {
	addr, _ := m.root.Address(p.rank)
	e := &UnreachableError{Rank: p.rank, Addr: addr, Err: err}
	if m.several() {
		e.Device = sys.DescribeAddress(m.root.Host())
	}
	return e
}

// Close closes the socket. What was not acknowledged is lost: see Flush.
func (m *Module) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.publish()
	m.inbox.Enlist(1)
	m.inbox.Notify() // ends watch
	m.inbox.Enlist(-1)
	m.watching.Wait()
	slots := 0
	if m.look.Load() != nil {
		slots = 1
	}
	shm.Attend(-attendants, -slots)
	return m.closeDevices()
}

// Capabilities implements btl.Messages.
func (m *Module) Capabilities() btl.Capabilities {
	c := btl.Capabilities{Bed: m, Settled: m.Settled, Attend: m.Attend}
	if m.several() {
		c.Together = m.Together
	}
	return c
}

// Counters implements btl.Messages.
func (m *Module) Counters() btl.Counters {
	m.counters.Sleeps = m.sleeps.Load()
	m.publish()
	return m.counters
}
