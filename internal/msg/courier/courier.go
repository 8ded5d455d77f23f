package courier

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/suci"
)

// Courier is the sockets of a rank for blocks. The goroutine that receives rests in them. Whoever sends does so by
// itself, and wakes it if something is left to be done.
type Courier struct {
	root *job.Root
	rank int
	over chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards what follows, and orders all calls of devices but Rest and News
	devices *devices.Set
	peers   []*devices.Peer    // by rank of the job; nil: not heard of yet
	where   [][]netip.AddrPort // likewise: the addresses of a rank's courier, by device
	arrived []arrival          // to be delivered
	buried  int                // how many ranks had gone when all of those were buried
	lines   map[uint32]*Line   // by number
}

// arrival is a block of a rank of the job.
type arrival struct {
	from  int
	block suci.Received
}

// open opens the courier of a rank. messages are the devices of its messages, nil if it has none.
func open(root *job.Root, rank int, messages *devices.Set) (*Courier, error) {
	c := &Courier{root: root, rank: rank, over: make(chan struct{}), peers: make([]*devices.Peer, root.Places()),
		where: make([][]netip.AddrPort, root.Places()), lines: map[uint32]*Line{}}
	addresses := root.Devices()
	if len(addresses) == 0 { // all ranks are on this node
		addresses = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	}
	var err error
	c.devices, err = devices.Open(devices.Options{
		Root: root, Rank: rank, Addresses: addresses, Windows: true, Messages: messages,
		Peer: c.of, Where: func(rank int) []netip.AddrPort { return c.where[rank] }, Read: c.read,
		Suci: suci.Options{
			Self: idOf(rank), Key: suci.Key(root.Key()), Encrypt: root.Settings().Encrypt, MaxPeers: root.Places(),
			Timeout: root.Settings().PeerTimeout, QueueLimit: math.MaxInt,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("courier: open: %w", err)
	}
	shm.Attend(attendants, 0)
	started := make(chan struct{})
	go c.receive(started)
	<-started // a thread of C that goes back to C would not let it start
	return c, nil
}

// attendants are the goroutines that serve without being asked: that of the endpoints.
const attendants = 1

// idOf returns the name of a rank in suci.
func idOf(rank int) suci.ID { return suci.ID(rank + 1) }

// of returns the record of the peer with an ID, nil if there can be none.
func (c *Courier) of(id suci.ID) *devices.Peer {
	rank := int(id) - 1
	if uint(rank) >= uint(len(c.peers)) || rank == c.rank {
		return nil
	}
	if c.peers[rank] == nil {
		c.peers[rank] = &devices.Peer{}
		c.devices.Add(c.peers[rank], rank, id)
	}
	return c.peers[rank]
}

// meet notes where the courier of a rank is, and returns its record. A rank whose MPI has begun anew is another peer.
func (c *Courier) meet(rank int, at []netip.AddrPort) *devices.Peer {
	if old := c.peers[rank]; old != nil && c.where[rank] != nil && !slices.Equal(at, c.where[rank]) {
		c.devices.Bury(old)
		c.peers[rank] = nil
	}
	c.where[rank] = at
	return c.of(idOf(rank))
}

// receive hands over what comes, until Close.
func (c *Courier) receive(started chan struct{}) {
	defer close(c.over)
	defer shm.Dedicate()()
	close(started)
	var err error
	for err == nil {
		c.deliver(c.take())
		_, err = c.devices.Rest(time.Minute, false, c.devices.News)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.peers {
		if p != nil {
			c.devices.Fail(p, err) // unless it was closed
		}
	}
}

// take takes in what has come, and does what is due. Ranks that had gone before are buried.
func (c *Courier) take() []arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	gone := c.root.GoneCount()
	if gone != c.buried {
		c.devices.Endpoint(0).Poll()
	}
	clear(c.arrived)
	c.arrived = c.arrived[:0]
	for device, r, ok := c.devices.Next(); ok; device, r, ok = c.devices.Next() {
		c.devices.Take(device, &r)
	}
	if gone != c.buried {
		c.buried = gone
		for rank, p := range c.peers {
			if p != nil && !p.Buried() && c.root.Gone(rank) {
				c.devices.Bury(p)
			}
		}
	}
	c.devices.Tend()
	return c.arrived
}

// read is given the blocks of a rank in their order.
func (c *Courier) read(p *devices.Peer, r suci.Received) {
	c.arrived = append(c.arrived, arrival{p.Rank(), r})
}

// deliver hands blocks to their lines. Those of a line that is closed are late, and dropped.
func (c *Courier) deliver(list []arrival) {
	for i := range list {
		a := &list[i]
		if len(a.block.Data) >= Head {
			c.mu.Lock()
			l := c.lines[binary.LittleEndian.Uint32(a.block.Data)]
			c.mu.Unlock()
			if l != nil {
				l.take(a)
			}
		}
		a.block.Free()
	}
}

// send sends a copy of a block. A rank that has gone gets none. If another one cannot be reached, Need says so.
func (c *Courier) send(p *devices.Peer, block []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !p.Buried() && c.devices.Find(p) {
		c.devices.Send(p, block)
	}
	if c.devices.Disturbed() {
		c.devices.Endpoint(0).Wake()
	}
}

// Close ends the courier.
func (c *Courier) Close() error {
	err := c.devices.Close()
	<-c.over
	shm.Attend(-attendants, 0)
	return err
}
