package courier

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/suci"
)

// Line is the ranks of a communicator that send blocks to one another.
type Line struct {
	courier *Courier
	number  uint32
	handle  func(l *Line, from int, block []byte)
	peers   []*suci.Peer // by rank of the communicator; nil: this rank
	ranks   map[int]int  // ranks of the communicator by those of the job
}

// Head is how many bytes of a block are the line's, at its beginning.
const Head = 4

// address is where the courier of a rank is; its port is 0 if there is none.
type address struct {
	ip   [16]byte
	port uint16
}

// Join opens a line for all ranks of a communicator, which has one at most. It is collective, and no rank sends before
// all have joined. handle gets the blocks of others, without their heads, one after the other. When it returns the
// block is no more.
func Join(c *comm.Comm, handle func(l *Line, from int, block []byte)) (*Line, error) {
	l := &Line{number: c.ID(), handle: handle, ranks: map[int]int{}}
	for rank := range c.Size() {
		l.ranks[comm.JobRank(c, rank)] = rank
	}
	own := address{}
	at, err := comm.Resource(c, func() (io.Closer, error) {
		return open(comm.Root(c), comm.JobRank(c, c.Rank()))
	})
	if err == nil {
		l.courier = at.(*Courier)
		addr := l.courier.endpoint.Addr()
		own = address{addr.Addr().As16(), addr.Port()}
	}
	all, told := comm.Tell(c, "courier", own)
	if err = cmp.Or(err, told); err != nil {
		return nil, err
	}
	if err = l.connect(c, all); err == nil { // on all ranks, or on none
		l.courier.mu.Lock()
		l.courier.lines[l.number] = l
		l.courier.mu.Unlock()
		err = c.Barrier()
	}
	if err != nil {
		l.Leave()
		return nil, err
	}
	return l, nil
}

// connect makes the peers.
func (l *Line) connect(c *comm.Comm, all []address) error {
	l.peers = make([]*suci.Peer, c.Size())
	for rank, a := range all {
		if a.port == 0 {
			return fmt.Errorf("rank %d has no socket for requests: its own error says why", rank)
		}
		if rank == c.Rank() {
			continue
		}
		addr := netip.AddrPortFrom(netip.AddrFrom16(a.ip).Unmap(), a.port)
		peer, err := l.courier.endpoint.Destination(idOf(comm.JobRank(c, rank)), addr)
		if err != nil {
			return fmt.Errorf("courier: reach rank %d: %w", rank, err)
		}
		l.peers[rank] = peer
	}
	return nil
}

// Send sends a copy of a block, whose head it writes. It does not wait.
func (l *Line) Send(rank int, block []byte) error {
	binary.LittleEndian.PutUint32(block, l.number)
	return l.peers[rank].TryWrite(suci.Block{Data: block, Priority: lane})
}

// Broken returns an error if the courier has lost a rank of the job.
func (l *Line) Broken(rank int) error {
	if !l.courier.broken[rank].Load() {
		return nil
	}
	return fmt.Errorf("rank %d left requests unanswered for %v (--peer-timeout), and windows have lost it for good: "+
		"its node was suspended, or a firewall between the nodes stops UDP", rank,
		l.courier.root.Settings().PeerTimeout)
}

// Leave closes the line for this rank. Nobody sends any more.
func (l *Line) Leave() {
	l.courier.mu.Lock()
	delete(l.courier.lines, l.number)
	l.courier.mu.Unlock()
}
