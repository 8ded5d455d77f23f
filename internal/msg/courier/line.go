package courier

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Line is the ranks of a communicator that send blocks to one another.
type Line struct {
	courier *Courier
	number  uint32
	handle  func(l *Line, from int, block []byte)
	peers   []*devices.Peer // by rank of the communicator; nil: this rank
	ranks   map[int]int     // ranks of the communicator by those of the job

	mu   sync.Mutex // held while a block is handled
	left bool
}

// Head is how many bytes of a block are the line's, at its beginning.
const Head = 4

// addresses are where the courier of a rank is, by device. The port of a device that it does not have is 0. Without a
// courier it has none.
type addresses [job.MaxDevices]struct {
	ip   [16]byte
	port uint16
}

// Join opens a line for all ranks of a communicator, which has one at most. It is collective, and no rank sends before
// all have joined. handle gets the blocks of others, without their heads, one after the other. When it returns the
// block is no more.
func Join(c *comm.Comm, handle func(l *Line, from int, block []byte)) (*Line, error) {
	l := &Line{number: c.ID(), handle: handle}
	own := addresses{}
	at, err := comm.Resource(c, func() (io.Closer, error) {
		return open(comm.Root(c), comm.JobRank(c, c.Rank()), comm.MessageDevices(c))
	})
	if err == nil {
		l.courier = at.(*Courier)
		own = l.courier.addresses()
	}
	all, told := comm.Tell(c, "courier", own)
	if err = cmp.Or(err, told); err != nil {
		return nil, err
	}
	jobRank := func(rank int) int { return comm.JobRank(c, rank) }
	if err = l.connect(jobRank, all); err == nil { // on all ranks, or on none
		err = c.Barrier()
	}
	if err != nil {
		l.Leave()
		return nil, err
	}
	return l, nil
}

// connect notes where the peers are, and takes blocks from now on. jobRank is the number in the job of a rank.
func (l *Line) connect(jobRank func(rank int) int, all []addresses) error {
	c := l.courier
	c.mu.Lock()
	defer c.mu.Unlock()
	l.peers, l.ranks = make([]*devices.Peer, len(all)), map[int]int{}
	for rank, list := range all {
		if list == (addresses{}) {
			return fmt.Errorf("rank %d has no socket for requests: its own error says why", rank)
		}
		of := jobRank(rank)
		l.ranks[of] = rank
		l.peers[rank] = c.meet(of, list.ports())
	}
	c.lines[l.number] = l
	return nil
}

// addresses are where this courier is.
func (c *Courier) addresses() (own addresses) {
	for device, a := range c.devices.Addresses() {
		own[device].ip, own[device].port = a.Addr().As16(), a.Port()
	}
	return own
}

// ports are the addresses.
func (a *addresses) ports() []netip.AddrPort {
	at := make([]netip.AddrPort, len(a))
	for device, d := range a {
		if d.port != 0 {
			at[device] = netip.AddrPortFrom(netip.AddrFrom16(d.ip).Unmap(), d.port)
		}
	}
	return at
}

// take takes a block, unless this rank has left.
func (l *Line) take(a *arrival) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from, member := l.ranks[a.from]; member && !l.left {
		l.handle(l, from, a.block.Data[Head:])
	}
}

// Send sends a copy of a block, whose head it writes. It does not wait. A block for a rank that has gone is dropped.
func (l *Line) Send(rank int, block []byte) {
	binary.LittleEndian.PutUint32(block, l.number)
	l.courier.send(l.peers[rank], block)
}

// Broken returns an error if this rank cannot go on: it has lost a rank that has not gone. needs is the rank that it
// waits for now: see devices.Set.
func (l *Line) Broken(needs int) error { return l.courier.devices.Need(l.peers[needs]) }

// Leave closes the line for this rank. No block is handled when it has returned, though others may send some: one of
// them may have failed, so that this rank does not wait for them.
func (l *Line) Leave() {
	l.courier.mu.Lock()
	delete(l.courier.lines, l.number)
	l.courier.mu.Unlock()
	l.mu.Lock()
	l.left = true
	l.mu.Unlock()
}
