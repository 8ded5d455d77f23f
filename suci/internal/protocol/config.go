package protocol

import (
	"errors"
	"math"
	"net/netip"

	"github.com/gopvas/gopvas/suci/internal/seal"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// ID names a peer.
type ID uint32

// Time is a reading of one monotonic clock in nanoseconds.
type Time int64

// Never is later than every time.
const Never = Time(math.MaxInt64)

// Units of Time.
const (
	Microsecond Time = 1e3
	Millisecond Time = 1e6
	Second      Time = 1e9
)

// Config is what a machine must know.
type Config struct {
	Self        ID
	Incarnation uint64 // not 0, different for each start of this peer
	Key         seal.Key
	KeyOf       func(ID) (seal.Key, bool) // that of a peer, if there is one; nil: Key
	Seal        bool                      // encrypt; both peers must say so
	Packet      int                       // longest datagram in bytes that may be sent
	PeerMemory  int                       // bytes of blocks held for one peer
	Memory      int                       // bytes of blocks held for all peers
	Block       int                       // longest block without a place, at most half of PeerMemory; 0: half of it
	MaxPeers    int
	Start       int  // bytes under way before anything is known of the network, 0: the default
	Timeout     Time // a peer that is silent for so long is lost
	Random      func() [wire.NonceSize]byte
	Handler     Handler

	// Longest says how long datagrams to an address the devices and routes of this node carry; nil: any. Longer ones
	// must be lost.
	Longest func(netip.AddrPort) int

	// Locate says where a block belongs for whose place Expect was not called; nil: it is kept.
	Locate func(from ID, place uint32, length int) []byte
}

// keyOf returns the key that is shared with a peer.
func (c *Config) keyOf(peer ID) (seal.Key, bool) {
	if c.KeyOf == nil {
		return c.Key, true
	}
	return c.KeyOf(peer)
}

// Handler is told what happens. It is called from within calls of the machine and must
// not call the machine.
type Handler interface {
	// Deliver hands over a block. The handler owns it until Machine.Free.
	Deliver(*Incoming)
	// Changed tells that a peer's state or flow has changed.
	Changed(*Peer, Change)
}

// Change is what a handler is told of a peer.
type Change uint8

// The changes.
const (
	Up        Change = iota + 1 // a session was opened
	Down                        // the session has ended, or was not opened in time
	Congested                   // the window to the peer was cut
	Blocked                     // blocks wait for the peer's window
	Unblocked                   // the window has opened
	Silent                      // the peer has not answered several times; its blocks still wait
	Answers                     // a silent peer was heard again in its session; Up says it of a new one
)

// Errors that a block can end with.
var (
	ErrLost = errors.New(
		"suci: send block: the peer does not answer; check that it runs and that the network carries UDP to it")
	ErrKey       error = keyError{} // an ErrLost
	ErrRestarted       = errors.New(
		"suci: send block: the peer has been started anew, or has given up the session, and does not know what was " +
			"sent before; send again what it still needs")
	ErrGone     = errors.New("suci: send block: the peer has closed the session")
	ErrDeadline = errors.New("suci: send block: its deadline has passed; the peer does not deliver it")
	ErrTooLong  = errors.New(
		"suci: send block: longer than the peer accepts without a place; have the peer expect it, or " +
			"raise its PeerMemory")
	ErrClosed = errors.New("suci: the endpoint is closed")
	ErrPlace  = errors.New(
		"suci: receive block: it does not fit into its place; make sender and receiver agree on the length")
	ErrAbandoned = errors.New("suci: receive block: its sender has given it up")
)

type keyError struct{}

func (keyError) Error() string {
	return "suci: send block: the peer has another key, or only one of the two encrypts: give both the same"
}

// Is has errors.Is find that the peer is lost.
func (keyError) Is(target error) bool { return target == ErrLost }

// Counters count what a machine has seen, since its start.
type Counters struct {
	PacketsIn, PacketsOut   uint64
	PayloadIn, PayloadOut   uint64 // bytes of blocks, first transmissions only
	Resent                  uint64 // packets
	Probes                  uint64
	Acks                    uint64
	Malformed               uint64 // not packets of this protocol
	Foreign                 uint64 // of no session, or without proof of the key
	Stale                   uint64 // of an earlier session or incarnation
	Replayed                uint64 // sealed packets that came before or were changed
	Duplicates              uint64 // data that had arrived already
	Overrun                 uint64 // data beyond the grant
	Refused                 uint64 // data for which there was no memory
	BlocksIn, BlocksOut     uint64
	BlocksFailed, BlocksBad uint64 // outgoing, incoming
}

const (
	ackDelay      = 500 * Microsecond // an acknowledgement is held back at most so long
	slowAckDelay  = Millisecond       // the same for a receiver that is busy computing
	maxProbe      = Second / 2
	firstGreet    = 10 * Millisecond
	maxGreet      = Second
	initialWindow = 4             // packets per lane, before the first acknowledgement
	quantum       = wire.MostCars // packets sent at once: what one call with UDP_SEGMENT takes
	maxWindow     = wire.MaxSpan
)
