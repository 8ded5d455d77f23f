package job

import (
	"context"
	"encoding/binary"
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
// Only one process writes the addresses, once: on the rank's own node the rank, elsewhere the
// supervisor. The port of the first one is published last: a reader that sees a port other than 0 also sees the
// rest.
type addressBlock struct {
	node  uint32     // of a rank that was added it is written with its world; else never changed
	world worldBlock // of a rank that was added
	at    [MaxDevices]socketBlock

	// To the end of a cache line, and one more: so rankBlock is no multiple of 4,096 bytes, and the inboxes of ranks do
	// not meet in one set of a cache.
	_ [2*cacheLine - (24+MaxDevices*24)%cacheLine]byte
}

// socketBlock is an address and a port.
type socketBlock struct {
	ip   [2]atomic.Uint64
	port atomic.Uint32 // 0: there is none
	_    uint32
}

func (b *socketBlock) store(a netip.AddrPort) {
	ip := a.Addr().As16()
	for i := range b.ip {
		b.ip[i].Store(binary.BigEndian.Uint64(ip[i*8:]))
	}
	b.port.Store(uint32(a.Port()))
}

func (b *socketBlock) load() netip.AddrPort {
	port := b.port.Load()
	if port == 0 {
		return netip.AddrPort{}
	}
	var ip [16]byte
	for i := range b.ip {
		binary.BigEndian.PutUint64(ip[i*8:], b.ip[i].Load())
	}
	return netip.AddrPortFrom(netip.AddrFrom16(ip).Unmap(), uint16(port))
}

// SetAddresses notes where messages from other nodes reach a rank, by device. It wakes the supervisor and,
// for a rank of another node, all ranks. It is called once for each rank. It is ignored if the first address has
// no port.
func (r *Root) SetAddresses(rank int, at ...netip.AddrPort) {
	b, err := r.rank(rank)
	if err != nil || len(at) == 0 || at[0].Port() == 0 {
		return
	}
	for device, a := range slices.Backward(at[:min(len(at), MaxDevices)]) {
		if a.Port() != 0 {
			b.address.at[device].store(a)
		}
	}
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

// Addresses returns where messages from other nodes reach a rank, by device; nil if that is
// not known yet. A device that the rank does not have has the zero address.
func (r *Root) Addresses(rank int) (at []netip.AddrPort) {
	b := r.block(rank)
	if b.address.at[0].port.Load() == 0 {
		return nil
	}
	for i := range b.address.at {
		if a := b.address.at[i].load(); a.IsValid() {
			at = append(at, make([]netip.AddrPort, i+1-len(at))...)
			at[i] = a
		}
	}
	return at
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
