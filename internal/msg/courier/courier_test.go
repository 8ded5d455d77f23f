package courier

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/suci"
)

// pair is two ranks of two nodes, whose lines answer each block with another one.
type pair struct {
	couriers [2]*Courier
	lines    [2]*Line
	answered [2]atomic.Int64 // by the rank that had asked
	wrong    atomic.Bool
	all      chan struct{} // gets one for each rank whose blocks were all answered
}

// Blocks are numbers, some short and some long; an answer has its highest bit set.
const (
	blocks  = 400
	answers = 1 << 31
)

// newRoot is the root block of a job of two ranks and nodes, with so many devices.
func newRoot(t *testing.T, n int) *job.Root {
	var list []netip.Addr
	for i := range n {
		list = append(list, netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + i)}))
	}
	return jobtest.Create(t, job.Config{
		Ranks: 2, BTL: job.BTLSM, CPUs: 2, Nodes: []int{0, 1}, Host: list[0], Devices: list, Key: job.Key{7},
	}).Root()
}

// newPair has each rank believe that the other one's devices are where at says.
func newPair(t *testing.T, n int, at func(all []addresses)) *pair {
	root := newRoot(t, n)
	p := &pair{all: make(chan struct{}, 2)}
	all := make([]addresses, 2)
	for rank := range p.couriers {
		c, err := open(root, rank, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		p.couriers[rank], all[rank] = c, c.addresses()
	}
	at(all)
	for rank, c := range p.couriers {
		next := [2]uint32{}
		p.lines[rank] = &Line{courier: c, number: 5, handle: func(l *Line, from int, b []byte) {
			number := binary.LittleEndian.Uint32(b)
			answer := number >> 31
			if number&^answers != next[answer] || len(b) != length(number) || from != 1-rank {
				p.wrong.Store(true)
			}
			next[answer]++
			switch {
			case answer == 0:
				p.send(rank, number|answers)
			case p.answered[rank].Add(1) == blocks:
				p.all <- struct{}{}
			}
		}}
		require.NoError(t, p.lines[rank].connect(func(rank int) int { return rank }, all))
	}
	return p
}

// length is that of the block with a number.
func length(number uint32) int { return 4 + int(number%4)*1000 }

func (p *pair) send(rank int, number uint32) {
	b := make([]byte, Head+length(number))
	binary.LittleEndian.PutUint32(b[Head:], number)
	p.lines[rank].Send(1-rank, b)
}

// run has both ranks ask, and waits until all was answered. at is called before each number.
func (p *pair) run(t *testing.T, at func(number int)) {
	for number := range blocks {
		at(number)
		for rank := range p.lines {
			p.send(rank, uint32(number))
		}
	}
	<-p.all
	<-p.all
	require.False(t, p.wrong.Load(), "a block is not the next one")
	for rank, l := range p.lines {
		require.NoError(t, l.Broken(1-rank))
	}
}

// TestBlocksGoByAnyDevice: a device carries nothing from the beginning, be it the first one.
func TestBlocksGoByAnyDevice(t *testing.T) {
	hole, err := net.ListenPacket("udp", "127.0.0.1:0") // takes packets, and answers none
	require.NoError(t, err)
	defer hole.Close()
	for device := range 3 {
		p := newPair(t, 3, func(all []addresses) {
			for rank := range all {
				all[rank][device].ip = netip.AddrFrom4([4]byte{127, 0, 0, 1}).As16()
				all[rank][device].port = uint16(hole.LocalAddr().(*net.UDPAddr).Port)
			}
		})
		p.run(t, func(int) {})
	}
}

// TestBlocksOutliveDevices: devices end one after the other, and come back. Blocks arrive once, in their order.
func TestBlocksOutliveDevices(t *testing.T) {
	p := newPair(t, 2, func([]addresses) {})
	p.run(t, func(number int) {
		if number%20 == 10 {
			c := p.couriers[number/40%2]
			c.mu.Lock()
			defer c.mu.Unlock()
			c.devices.TakeDown(c.peers[1-c.rank], number/20%2)
		}
	})
}

// TestBlocksGoByTheOnlyDevice: there is one.
func TestBlocksGoByTheOnlyDevice(t *testing.T) {
	newPair(t, 1, func([]addresses) {}).run(t, func(int) {})
}

// TestLostToMessages: a rank that windows have lost and need is lost to messages, too. One that they do not need may
// have closed its courier.
func TestLostToMessages(t *testing.T) {
	root := newRoot(t, 1)
	messages, err := devices.Open(devices.Options{
		Root: root, Addresses: root.Devices(), Suci: suci.Options{Key: suci.Key{7}, Self: 1},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, messages.Close()) }()
	c, err := open(root, 0, messages)
	require.NoError(t, err)
	c.mu.Lock()
	p := c.of(idOf(1))
	c.mu.Unlock()
	require.NoError(t, c.devices.Need(p))
	c.mu.Lock()
	c.devices.Fail(p, suci.ErrLost)
	c.mu.Unlock()
	require.NoError(t, messages.Failed())
	require.NoError(t, c.Close())
	require.NoError(t, messages.Failed())
	require.ErrorIs(t, c.devices.Need(p), suci.ErrLost)
	require.ErrorIs(t, messages.Failed(), suci.ErrLost)
}

// TestNothingIsHandledAfterLeave: what a block is for may be freed when Leave has returned.
func TestNothingIsHandledAfterLeave(t *testing.T) {
	c := &Courier{lines: map[uint32]*Line{}}
	var handling atomic.Bool
	started, goOn, during := make(chan struct{}), make(chan struct{}), make(chan bool)
	l := &Line{courier: c, ranks: map[int]int{1: 1}, handle: func(*Line, int, []byte) {
		handling.Store(true)
		close(started) // panics at the second block
		<-goOn
		handling.Store(false)
	}}
	c.lines[l.number] = l
	block := arrival{from: 1, block: suci.Received{Data: make([]byte, Head)}}
	go l.take(&block)
	<-started
	go func() {
		l.Leave()
		during <- handling.Load()
	}()
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.lines) == 0
	}, time.Minute, time.Millisecond)
	close(goOn)
	require.False(t, <-during)
	l.take(&block)
}
