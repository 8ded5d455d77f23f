package job

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync/atomic"
)

// Key is the secret that the ranks of a job on several nodes share.
type Key [32]byte

// checkNodes checks which rank is where.
func (c *Config) checkNodes() error {
	if c.Nodes == nil {
		return nil
	}
	if len(c.Nodes) != c.Ranks {
		return fmt.Errorf("nodes are given for %d ranks of %d", len(c.Nodes), c.Ranks)
	}
	for rank, node := range c.Nodes {
		if node < 0 || node >= c.Ranks {
			return fmt.Errorf("node %d of rank %d is outside 0..%d", node, rank, c.Ranks-1)
		}
	}
	if c.AllNodes == 0 && !slices.Contains(c.Nodes, c.Node) {
		return fmt.Errorf("no rank is on node %d", c.Node)
	}
	return nil
}

// spread returns how many nodes there are, and the ranks of this one.
func (c *Config) spread() (nodes, near uint32) {
	if c.Nodes == nil {
		return 1, uint32(c.Ranks)
	}
	nodes = uint32(c.AllNodes)
	for _, node := range c.Nodes {
		nodes = max(nodes, uint32(node)+1)
		if node == c.Node {
			near++
		}
	}
	return nodes, near
}

// Nodes returns the number of nodes of the job.
func (r *Root) Nodes() int { return int(r.head.nodes) }

// Near returns the number of ranks on this node when the job began.
func (r *Root) Near() int { return int(r.head.near) }

// Here returns the number of this node.
func (r *Root) Here() int { return int(r.head.node) }

// Node returns the number of a rank's node, 0 if there is no such rank.
func (r *Root) Node(rank int) int {
	return int(r.block(rank).address.node)
}

// Host returns the address by which other nodes reach this one; it is not valid in a job of
// one node.
func (r *Root) Host() netip.Addr {
	return r.device(0)
}

// Key returns the key of the job.
func (r *Root) Key() Key { return r.head.key }

// addressBlock is where a rank is and how it is reached.
//
// Only one process writes the address, once: on the rank's own node the rank, elsewhere the
// supervisor. The port is published last: a reader that sees a port other than 0 also sees the
// rest.
type addressBlock struct {
	node uint32        // of a rank that was added it is written with its world; else never changed
	port atomic.Uint32 // 0: no address yet
	ip   [2]atomic.Uint64

	world worldBlock // of a rank that was added
	_     [cacheLine - 24 - 16]byte
}

// SetAddress notes where messages from other nodes reach a rank. It wakes the supervisor and,
// for a rank of another node, all ranks. It is called once for each rank. An address without
// a port is ignored.
func (r *Root) SetAddress(rank int, a netip.AddrPort) {
	b, err := r.rank(rank)
	if err != nil || a.Port() == 0 {
		return
	}
	ip := a.Addr().As16()
	for i := range b.address.ip {
		var word uint64
		for _, v := range ip[i*8 : i*8+8] {
			word = word<<8 | uint64(v)
		}
		b.address.ip[i].Store(word)
	}
	b.address.port.Store(uint32(a.Port()))
	r.noteAddress()
	if r.Node(rank) == r.Here() {
		return
	}
	for i := range r.Ranks() {
		r.ranks[i].inbox.Notify()
	}
}

// noteAddress ends AwaitAddresses.
func (r *Root) noteAddress() {
	r.head.addressNotes.Add(1)
	r.head.addressEvent.Signal()
}

// Address returns where messages from other nodes reach a rank; ok is false if that is
// not known yet.
func (r *Root) Address(rank int) (a netip.AddrPort, ok bool) {
	b := r.block(rank)
	port := b.address.port.Load()
	if port == 0 {
		return a, false
	}
	var ip [16]byte
	for i := range b.address.ip {
		word := b.address.ip[i].Load()
		for k := range 8 {
			ip[i*8+k] = byte(word >> (56 - 8*k))
		}
	}
	return netip.AddrPortFrom(netip.AddrFrom16(ip).Unmap(), uint16(port)), true
}

// AwaitAddresses returns when more than seen notes have been made, or ctx ends. A note is an address, or that a rank
// receives no more, or does again. It returns how many there were. seen is the result of the last call, 0 at first.
func (r *Root) AwaitAddresses(ctx context.Context, seen uint32) (uint32, error) {
	defer r.head.addressEvent.SignalWhenDone(ctx)()
	err := r.head.addressEvent.Wait(func() bool {
		return r.head.addressNotes.Load() != seen || ctx.Err() != nil
	})
	if err != nil {
		return seen, fmt.Errorf("job: await addresses: %w", err)
	}
	return r.head.addressNotes.Load(), ctx.Err()
}

// FarSends is what a rank has sent to other nodes and does not know to have arrived. As long as there
// is something, no deadlock is proved: it may arrive, and the network may come back.
type FarSends struct {
	UnderWay int64 // bytes, but for short messages of a rank with one device
	Silent   int   // a rank that does not answer on the last device that it was reached by, plus one; 0: none
	Device   int   // that one
}

// AddUnderWay notes that a rank has so many bytes more, or fewer, under way. The rank calls it.
func (r *Root) AddUnderWay(rank, bytes int) { r.block(rank).underWay.Add(int64(bytes)) }

// SetSilent notes FarSends.Silent and Device. The rank calls it.
func (r *Root) SetSilent(rank, silent, device int) {
	r.block(rank).unanswered.Store(uint64(device)<<32 | uint64(uint32(silent)))
}

// FarSends returns what a rank has noted. One that has gone is not silent.
func (r *Root) FarSends(rank int) FarSends {
	b := r.block(rank)
	word := b.unanswered.Load()
	f := FarSends{UnderWay: max(0, b.underWay.Load()), Silent: int(uint32(word)), Device: int(word >> 32)}
	if f.Silent > r.Ranks() || f.Silent > 0 && r.Gone(f.Silent-1) {
		f.Silent, f.Device = 0, 0
	}
	return f
}

func (f FarSends) any() bool { return f.UnderWay > 0 || f.Silent > 0 }
