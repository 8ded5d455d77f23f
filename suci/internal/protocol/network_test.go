package protocol

import (
	"container/heap"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// network is an in-memory network on virtual time. All that is random comes from one
// seed, so a failing run can be repeated.
type network struct {
	t     testing.TB
	rng   *rand.Rand
	now   Time
	nodes []*node
	queue flights
	order uint64
	batch *Batch

	loss, dup     float64
	delay, jitter Time
	dark          bool                     // nothing gets through
	rate          int                      // bytes per second of each node's port, 0: no limit
	buffer        int                      // bytes that a port queues
	device        int                      // bytes per second that a node's device sends, 0: no limit
	carries       func(from, to *node) int // bytes of the longest packet; nil: any
	cuts          bool                     // the network cuts longer ones into fragments if it may
	fragmented    int
	dropped       int
	packets       int
	observe       func(from, to *node, b []byte) // of each packet sent
	arrival       func(from, to *node, b []byte) // of each packet that arrives
}

// node is an endpoint of the network: a machine and its program.
type node struct {
	*network
	m       *Machine
	addr    netip.AddrPort
	got     map[stream]uint32
	unread  []*Incoming
	slow    bool // does not free blocks by itself
	free    Time // the port has sent all before
	sent    Time // the device has sent all before
	handed  []handed
	longs   int  // batches with parts of long blocks
	stalled Time // the process does not run before
	lowered int  // was held when its memory was made less; 0: it holds no more than it may

	received int
	bytes    int
	bad      []error
	changes  []Change
	onBlock  func(*Incoming)
}

// handed is a train that a device was given.
type handed struct {
	sent  Time // all of it
	bytes int
}

type stream struct {
	from ID
	lane uint8
}

// datagram is under way to a node.
type datagram struct {
	at    Time // of its arrival, or when the process can take it
	came  Time // its arrival
	order uint64
	to    *node
	from  *node
	b     []byte
}

type flights []datagram

func (f flights) Len() int { return len(f) }
func (f flights) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].order < f[j].order
}
func (f flights) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)   { *f = append(*f, x.(datagram)) }
func (f *flights) Pop() any {
	old := *f
	d := old[len(old)-1]
	*f = old[:len(old)-1]
	return d
}

var testKey = seal.Key{1, 2, 3}

func newNetwork(t testing.TB, seed uint64) *network {
	return &network{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: Second, batch: NewBatch(1472),
		delay: 20 * Microsecond,
	}
}

// start adds a node whose address table knows all that are there, and is known to them.
func (n *network) start(change func(*Config)) *node {
	id := ID(len(n.nodes))
	x := n.machine(id, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(id >> 8), byte(id)}), 9), change)
	for _, other := range n.nodes {
		other.m.Add(id, x.addr)
		x.m.Add(other.m.config.Self, other.addr)
	}
	n.nodes = append(n.nodes, x)
	return x
}

func (n *network) machine(id ID, addr netip.AddrPort, change func(*Config)) *node {
	x := &node{network: n, addr: addr, got: map[stream]uint32{}}
	c := Config{
		Self: id, Incarnation: n.rng.Uint64() | 1, Key: testKey, Packet: 1472,
		PeerMemory: 8 << 20, Memory: 32 << 20, MaxPeers: 1000, Timeout: 120 * Second,
		Handler: x,
		Random: func() (b [wire.NonceSize]byte) {
			binary.BigEndian.PutUint64(b[:], n.rng.Uint64())
			binary.BigEndian.PutUint64(b[8:], n.rng.Uint64())
			return b
		},
	}
	if change != nil {
		change(&c)
	}
	x.m = New(c)
	return x
}

// Deliver checks a block of which block made the contents.
func (x *node) Deliver(in *Incoming) {
	x.received++
	if in.Err != nil {
		x.bad = append(x.bad, in.Err)
	}
	if x.onBlock != nil {
		x.onBlock(in)
	} else {
		checkBlock(x.t, in)
		s := stream{in.From, in.Priority}
		number := binary.BigEndian.Uint32(in.Data)
		require.Equal(x.t, x.got[s], number, "from %d at priority %d: lost, twice or out of order", in.From,
			in.Priority)
		x.got[s] = number + 1
	}
	x.bytes += len(in.Data)
	if x.slow {
		x.unread = append(x.unread, in)
		return
	}
	x.unread = append(x.unread, in) // freed after the call, see drain
}

func (x *node) Changed(_ *Peer, c Change) { x.changes = append(x.changes, c) }

// block makes a block with a number and contents that depend on it.
func block(number uint32, length int) []byte {
	b := binary.BigEndian.AppendUint32(nil, number)
	for i := 4; i < length; i++ {
		b = append(b, byte(i*7+i>>8)+byte(number))
	}
	return b
}

func checkBlock(t testing.TB, in *Incoming) {
	require.GreaterOrEqual(t, len(in.Data), 4)
	number := binary.BigEndian.Uint32(in.Data)
	for i := 4; i < len(in.Data); i++ {
		if in.Data[i] != byte(i*7+i>>8)+byte(number) {
			require.Failf(t, "contents", "byte %d of block %d", i, number)
		}
	}
}

// step lets a node send what it has to send, and frees what it has read.
func (x *node) step() {
	if !x.slow {
		for _, in := range x.unread {
			x.m.Free(in)
		}
		x.unread = x.unread[:0]
	}
	for more := true; more; {
		x.batch.Reset()
		if x.m.Backlogged() {
			x.m.Queued(x.now, x.queued(), false)
		}
		more = x.m.Transmit(x.now, x.batch)
		x.send(x.batch)
		if x.batch.Long {
			x.longs++
			x.m.Queued(x.now, x.queued(), true)
		}
	}
	x.check()
}

// check verifies the invariants that can be seen in the machine.
func (x *node) check() {
	m := x.m
	require.LessOrEqual(x.t, m.mem.held, max(m.mem.limit, x.lowered+m.mem.limit/2))
	require.LessOrEqual(x.t, m.mem.late, max(m.mem.limit/2, x.lowered))
	for _, p := range m.peers {
		require.LessOrEqual(x.t, p.held, max(m.config.PeerMemory, x.lowered+m.config.PeerMemory/2))
		under := 0
		for i := range p.lanes {
			if s := p.lanes[i].out; s != nil {
				require.LessOrEqual(x.t, s.una, s.next)
				require.LessOrEqual(x.t, s.next, max(s.limit, s.holding, s.una))
				under += s.waiting
			}
			if r := p.lanes[i].in; r != nil {
				require.LessOrEqual(x.t, r.limit, r.next+maxWindow)
				require.LessOrEqual(x.t, r.deliver, r.next)
			}
		}
		require.Equal(x.t, under, p.underWay)
	}
}

// send puts what a batch has on the network.
func (x *node) send(batch *Batch) {
	for _, train := range batch.Trains {
		for b := range train.All() {
			x.sendPacket(train.To, slices.Clone(b), train.Loose)
		}
		if x.device > 0 {
			x.handed = append(x.handed, handed{x.sent, len(train.Bytes)})
		}
	}
}

func (x *node) sendPacket(addr netip.AddrPort, b []byte, loose bool) {
	require.LessOrEqual(x.t, len(b), x.m.config.Packet)
	x.packets++
	for _, to := range x.nodes {
		if to.addr == addr {
			if x.network.observe != nil {
				x.network.observe(x, to, b)
			}
			if n := x.network; n.carries != nil && len(b) > n.carries(x, to) {
				if !n.cuts || !loose {
					n.dropped++
					continue
				}
				n.fragmented++
			}
			x.post(to, b)
		}
	}
}

// queued is how many bytes wait in the node's device, as the kernel counts them: it counts a train
// until all of it was sent.
func (x *node) queued() (bytes int) {
	x.handed = slices.DeleteFunc(x.handed, func(h handed) bool { return h.sent <= x.now })
	for _, h := range x.handed {
		bytes += h.bytes * 3 / 2
	}
	return bytes
}

// post sends a datagram through the node's device and through the port of the node that it goes to.
func (x *node) post(to *node, b []byte) {
	n := x.network
	if n.dark || n.rng.Float64() < n.loss {
		n.dropped++
		return
	}
	at := n.now + n.delay
	if n.device > 0 {
		x.sent = max(x.sent, n.now) + Time((len(b)+66)*1e9/n.device)
		at = x.sent + n.delay
	}
	if n.rate > 0 {
		wire := Time((len(b) + 66) * 1e9 / n.rate)
		if queued := to.free - at; queued > 0 && int(queued)*n.rate/1e9 > n.buffer {
			n.dropped++
			return
		}
		to.free = max(to.free, at) + wire
		at = to.free
	}
	copies := 1
	if n.rng.Float64() < n.dup {
		copies = 2
	}
	for range copies {
		n.order++
		late := Time(0)
		if n.jitter > 0 {
			late = Time(n.rng.Int64N(int64(n.jitter)))
		}
		heap.Push(&n.queue, datagram{at + late, at + late, n.order, to, x, append([]byte(nil), b...)})
	}
}

// next is the time of the next event.
func (n *network) next() Time {
	at := Never
	if len(n.queue) > 0 {
		at = n.queue[0].at
	}
	for _, x := range n.nodes {
		at = min(at, max(x.m.Wake(), x.stalled))
	}
	return at
}

// run lets time pass until a condition holds. It fails after the given virtual time.
func (n *network) run(until Time, what string, holds func() bool) {
	n.t.Helper()
	end := n.now + until
	for _, x := range n.nodes {
		x.step()
	}
	stuck := 0
	for !holds() {
		at := n.next()
		if at > end {
			n.dump()
		}
		require.LessOrEqual(n.t, at, end, "%s did not happen", what)
		if stuck++; at > n.now {
			stuck = 0
		}
		require.Less(n.t, stuck, 10000, "%s: no time passes", what)
		n.now = max(n.now, at)
		n.events()
	}
}

// events handles all that happens now.
func (n *network) events() {
	for len(n.queue) > 0 && n.queue[0].at <= n.now {
		d := heap.Pop(&n.queue).(datagram)
		if d.at < d.to.stalled {
			d.at = d.to.stalled
			heap.Push(&n.queue, d)
			continue
		}
		if n.arrival != nil {
			n.arrival(d.from, d.to, d.b)
		}
		d.to.m.Datagram(n.now, d.came, d.from.addr, d.b)
		d.to.step()
	}
	for _, x := range n.nodes {
		if max(x.m.Wake(), x.stalled) <= n.now {
			x.step()
		}
	}
}

// pass lets time pass.
func (n *network) pass(d Time) {
	end := n.now + d
	for n.next() <= end {
		n.now = max(n.now, n.next())
		n.events()
	}
	n.now = end
}

// sendTo queues a block at a node.
func (x *node) sendTo(to *node, priority uint8, data []byte, done func(error)) *Outgoing {
	o := &Outgoing{Data: data, Priority: priority, Done: func(_ *Outgoing, err error) {
		if done != nil {
			done(err)
		}
	}}
	require.NoError(x.t, x.m.Send(x.now, x.m.Peer(to.m.config.Self), o))
	return o
}

// dump logs what the nodes wait for.
func (n *network) dump() {
	for _, x := range n.nodes {
		n.t.Logf("node %d: held %d late %d active senders %d budget %d counters %+v", x.m.config.Self, x.m.mem.held,
			x.m.mem.late, x.m.grants.senders, x.m.grants.budget.window, x.m.count)
		for _, p := range x.m.active {
			n.t.Logf("  peer %d: up %v window %d under way %d held %d rtt %v backoff %d pace at %d", p.id,
				p.session != nil, p.control.window, p.underWay, p.held, p.rtt.smooth, p.contact.backoff, p.paceAt-n.now)
			for i := range p.lanes {
				if s := p.lanes[i].out; s != nil {
					n.t.Logf("    out %d: una %d next %d limit %d end %d holding %d lost %d waiting %d", i, s.una,
						s.next, s.limit, s.end, s.holding, s.lost, s.waiting)
				}
				if r := p.lanes[i].in; r != nil {
					n.t.Logf(
						"    in %d: next %d high %d limit %d demand %d more %v deliver %d probed %d refused %v count "+
							"%d blocks %d due %d", i, r.next, r.high, r.limit, r.demand, r.more, r.deliver, r.probed,
						r.refused, r.count, r.blocks.len(), r.ackDue-n.now)
				}
			}
		}
	}
}
