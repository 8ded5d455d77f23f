package suci

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/gopvas/gopvas/suci/internal/protocol"
	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/udp"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// ID names a peer. The IDs of a job are unique.
type ID = protocol.ID

// Key is the secret that all peers of a job share.
type Key = seal.Key

// NewKey returns a random key.
func NewKey() Key { return seal.NewKey() }

// Options say how an endpoint is opened. Self and Key must be set; zero values of the
// others mean the defaults.
type Options struct {
	Self   ID
	Key    Key
	Listen netip.AddrPort // default 0.0.0.0 and a port that the kernel chooses

	// KeyOf returns the secret that this peer shares with one other, if they have one for themselves; ok is false if
	// there is no such peer. It must not block and must not call the endpoint. If it is nil, Key is that of all.
	KeyOf func(ID) (key Key, ok bool)

	// Encrypt seals every packet. All peers of a job must agree on it.
	Encrypt bool

	// Packet is the length of the longest datagram in bytes that may be sent. Each direction of a session finds
	// out what its path carries. Default: 8972, for an MTU of 9000.
	Packet int

	// PeerMemory and Memory bound the bytes of blocks kept for one peer and in all:
	// blocks being received, and those that nobody has read. A peer may send blocks of
	// up to Block, and blocks with a place of any length. Defaults: 64 MiB
	// and 256 MiB. Endpoint.SetMemory changes them later.
	PeerMemory, Memory int

	// Block is the longest block without a place that a peer may send, in bytes, which is told as the power of two
	// below it. It is at least 128 KiB and at most half of PeerMemory, the default.
	Block int

	// QueueLimit bounds the bytes copied for one peer that it has not acknowledged.
	// Default: 4 MiB.
	QueueLimit int

	// MaxPeers bounds the peers that may come without Destination. Default: 4096.
	MaxPeers int

	// Start is how many bytes may be under way before anything is known of the network (slow
	// start): from here to a peer, and from all peers to here. Default: 64 KiB and 40 KiB,
	// what the port of a small switch queues.
	Start int

	// Timeout is how long a peer may be silent while blocks wait for it. Time in which this process did not run is not
	// counted. Default: 2 minutes.
	Timeout time.Duration

	// Spin is how long a waiting call polls the socket before it sleeps. Polling costs a
	// CPU and saves the time of waking, some 20 us. Default: none.
	Spin time.Duration

	// Hold is asked while a call polls. If it returns true the call sleeps at once: others need the CPU.
	// It must not block and must not call the endpoint. Default: never.
	Hold func() bool

	// With is an endpoint whose loop this one joins: whoever waits for one of them drives all of
	// them, and sleeps until a packet comes on any. They share a lock. It is for programs with
	// several network devices, an endpoint on each. Spin, Hold, OnNews and OnKeep are those of the endpoint that
	// was opened first. At most 16 endpoints share a loop.
	With *Endpoint

	// OnChange is called when the state of a peer changes. It must not block and must
	// not call the endpoint.
	OnChange func(ID, Change)

	// Locate returns where a block of so many bytes belongs that a peer writes to a place
	// without an Expect, nil if nowhere. It is asked once for each such block, when its first
	// packet has come. The memory belongs to the endpoint until the block is read. Locate
	// must not block and must not call the endpoint. Blocks that belong nowhere are read
	// with ErrPlace. If Locate is nil, they are kept as blocks without a place.
	Locate func(from ID, place uint32, length int) []byte

	// OnNews is called when a block has come or is done at any endpoint of the loop. It is not called
	// where a call of the program waits for that. It must not wait for packets and must not close the endpoint. It may
	// poll, read and write.
	OnNews func()

	// OnKeep is told when no call of the program has driven the endpoints for some milliseconds, and when one does
	// again. From the first to the second OnNews may be called. The same holds for it as for OnNews.
	OnKeep func(keeps bool)
}

// Change is what OnChange tells of a peer.
type Change = protocol.Change

// The changes of a peer.
const (
	Up        = protocol.Up        // a session was opened
	Down      = protocol.Down      // the session has ended, or was not opened in time
	Congested = protocol.Congested // packets were lost, the window was cut
	Blocked   = protocol.Blocked   // blocks wait for the peer's grant
	Unblocked = protocol.Unblocked // the peer has granted more
	Silent    = protocol.Silent    // the peer has not answered for some 50 ms; its blocks still wait
	Answers   = protocol.Answers   // a silent peer was heard again; so tells Up
)

// Errors of blocks; compare with errors.Is.
var (
	ErrLost      = protocol.ErrLost
	ErrKey       = protocol.ErrKey // also ErrLost
	ErrRestarted = protocol.ErrRestarted
	ErrGone      = protocol.ErrGone
	ErrDeadline  = protocol.ErrDeadline
	ErrTooLong   = protocol.ErrTooLong
	ErrClosed    = protocol.ErrClosed
	ErrPlace     = protocol.ErrPlace
	ErrAbandoned = protocol.ErrAbandoned
)

const (
	jumboPacket = 8972
	mostPacket  = 65000
	leastMemory = 256 << 10
	sockBuffer  = 4 << 20
)

// complete checks the options and fills in the defaults.
func (o *Options) complete() error {
	if !o.Listen.IsValid() {
		o.Listen = netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	}
	defaults(&o.Packet, jumboPacket)
	defaults(&o.PeerMemory, 64<<20)
	defaults(&o.Memory, max(256<<20, o.PeerMemory))
	defaults(&o.Block, o.PeerMemory/2)
	defaults(&o.QueueLimit, 4<<20)
	defaults(&o.MaxPeers, 4096)
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	switch {
	case o.Key == Key{}:
		return fmt.Errorf("suci: open endpoint: there is no key; make one with NewKey and give it to all peers")
	case o.Packet < wire.MinPacket || o.Packet > mostPacket:
		return fmt.Errorf("suci: open endpoint: packets of %d bytes; choose %d to %d", o.Packet,
			wire.MinPacket, mostPacket)
	case o.PeerMemory < leastMemory || o.Memory < o.PeerMemory:
		return fmt.Errorf("suci: open endpoint: memory of %d bytes and %d per peer; give at least %d per peer, and "+
			"in all no less than for one peer",
			o.Memory, o.PeerMemory, leastMemory)
	case o.Block < leastMemory/2 || o.Block > o.PeerMemory/2:
		return fmt.Errorf("suci: open endpoint: blocks of %d bytes; choose %d to half of the memory for a peer, %d",
			o.Block, leastMemory/2, o.PeerMemory/2)
	}
	return nil
}

func defaults(v *int, d int) {
	if *v == 0 {
		*v = d
	}
}

// config is what the machine must know.
func (o *Options) config(h protocol.Handler, s *udp.Socket) protocol.Config {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return protocol.Config{
		Self: o.Self, Incarnation: binary.BigEndian.Uint64(b[:]) | 1,
		Key: o.Key, KeyOf: o.KeyOf, Seal: o.Encrypt, Packet: o.Packet,
		PeerMemory: o.PeerMemory, Memory: o.Memory, Block: o.Block, MaxPeers: o.MaxPeers, Start: o.Start,
		Timeout: protocol.Time(o.Timeout), Random: nonce, Handler: h, Locate: o.Locate,
		Longest: func(to netip.AddrPort) int { return s.Longest(to, o.Packet) },
	}
}

func nonce() (b [wire.NonceSize]byte) {
	_, _ = rand.Read(b[:])
	return b
}
