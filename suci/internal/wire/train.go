package wire

import (
	"iter"
	"net/netip"
)

// Train is datagrams to one address, which lie one behind the other in memory. All are as long as
// the first one, but the last may be shorter.
type Train struct {
	To     netip.AddrPort
	Length int // of a datagram
	Bytes  []byte
	Loose  bool // the network may cut them into fragments
	ended  bool // by a shorter one
}

// A train has the size that the kernel takes in one message.
const (
	MostCars   = 44
	trainBytes = 65000
)

// Cars is how many datagrams of a length go with a train at most.
func Cars(length int) int { return min(MostCars, max(1, trainBytes/length)) }

// Takes tells whether a datagram that lies behind the train can go with it.
func (t *Train) Takes(to netip.AddrPort, length int) bool {
	return !t.ended && length <= t.Length && len(t.Bytes)+length <= min(trainBytes, MostCars*t.Length) && t.To == to
}

// Extend makes datagrams of so many bytes in all, which lie behind the train, a part of it.
func (t *Train) Extend(bytes int) {
	t.Bytes = t.Bytes[:len(t.Bytes)+bytes]
	t.ended = bytes%t.Length != 0
}

// End has no further datagram go with the train.
func (t *Train) End() { t.ended = true }

// One tells whether the train is a single datagram.
func (t *Train) One() bool { return len(t.Bytes) == t.Length }

// Count is the number of datagrams.
func (t *Train) Count() int { return (len(t.Bytes) + t.Length - 1) / t.Length }

// All are the datagrams.
func (t *Train) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for b := t.Bytes; len(b) > 0; {
			n := min(t.Length, len(b))
			if !yield(b[:n:n]) {
				return
			}
			b = b[n:]
		}
	}
}
