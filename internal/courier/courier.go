package courier

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/suci"
)

// Courier is the endpoint of a rank.
type Courier struct {
	root     *job.Root
	rank     int
	endpoint *suci.Endpoint
	broken   []atomic.Bool // by rank of the job
	over     chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex
	lines map[uint32]*Line // by number
}

// lane is the priority of all blocks: those of one keep their order.
const lane = 4

// open opens the courier of a rank.
func open(root *job.Root, rank int) (*Courier, error) {
	c := &Courier{root: root, rank: rank, broken: make([]atomic.Bool, root.Places()), over: make(chan struct{}),
		lines: map[uint32]*Line{}}
	host := root.Host()
	if !host.IsValid() { // all ranks are on this node
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	var err error
	c.endpoint, err = suci.Open(suci.Options{
		Self: idOf(rank), Key: suci.Key(root.Key()), Encrypt: root.Settings().Encrypt,
		Listen: netip.AddrPortFrom(host, 0), MaxPeers: root.Places(), Timeout: root.Settings().PeerTimeout,
		QueueLimit: math.MaxInt, OnChange: c.onChange,
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

// attendants are the goroutines that serve without being asked: that of the endpoint.
const attendants = 1

// idOf returns the name of a rank in suci.
func idOf(rank int) suci.ID { return suci.ID(rank + 1) }

// receive hands over what comes, until Close.
func (c *Courier) receive(started chan struct{}) {
	defer close(c.over)
	defer shm.Dedicate()()
	close(started)
	for {
		r, err := c.endpoint.Read(context.Background())
		if err != nil {
			return
		}
		c.deliver(&r)
		r.Free()
	}
}

// deliver hands a block to its line. Blocks of a line that is closed are late, and dropped.
func (c *Courier) deliver(r *suci.Received) {
	if r.Err != nil || len(r.Data) < Head {
		return
	}
	c.mu.Lock()
	l := c.lines[binary.LittleEndian.Uint32(r.Data)]
	c.mu.Unlock()
	if l == nil {
		return
	}
	if from, member := l.ranks[int(r.From)-1]; member {
		l.handle(l, from, r.Data[Head:])
	}
}

// onChange is called by the endpoint, with its lock held.
func (c *Courier) onChange(id suci.ID, change suci.Change) {
	rank := int(id) - 1
	if change == suci.Down && uint(rank) < uint(len(c.broken)) {
		c.broken[rank].Store(true)
		c.root.Inbox(c.rank).Signal()
	}
}

// Close ends the courier.
func (c *Courier) Close() error {
	err := c.endpoint.Close()
	<-c.over
	shm.Attend(-attendants, 0)
	return err
}
