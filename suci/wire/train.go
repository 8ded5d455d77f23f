package wire

import (
	"iter"
	"net/netip"
)

// Train is datagrams to one address. All are as long as the first one, but the last may be
// shorter. They lie one behind the other in memory. Or their heads do, and their bodies do: then
// the bodies are the memory of the block itself, and nobody has copied them.
type Train struct {
	To     netip.AddrPort
	Length int    // of a datagram
	Bytes  []byte // the datagrams; or their heads, of DataHeaderSize bytes each
	Bodies []byte // what follows the heads, nil: nothing does
	ended  bool   // by a shorter one
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
	return !t.ended && t.Bodies == nil && length <= t.Length && len(t.Bytes)+length <= min(trainBytes, MostCars*t.Length) && t.To == to
}

// Extend makes a datagram that lies behind the train a part of it.
func (t *Train) Extend(length int) {
	t.Bytes = t.Bytes[:len(t.Bytes)+length]
	t.ended = length < t.Length
}

// One tells whether the train is a single datagram in one piece.
func (t *Train) One() bool { return t.Bodies == nil && len(t.Bytes) == t.Length }

// Count is the number of datagrams.
func (t *Train) Count() int {
	if t.Bodies != nil {
		return len(t.Bytes) / DataHeaderSize
	}
	return (len(t.Bytes) + t.Length - 1) / t.Length
}

// All are the datagrams, each in one piece.
func (t *Train) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		b := t.Bytes
		if t.Bodies != nil {
			b = t.AppendTo(nil)
		}
		for len(b) > 0 {
			n := min(t.Length, len(b))
			if !yield(b[:n:n]) {
				return
			}
			b = b[n:]
		}
	}
}

// AppendTo appends the datagrams to b, one behind the other.
func (t *Train) AppendTo(b []byte) []byte {
	if t.Bodies == nil {
		return append(b, t.Bytes...)
	}
	for head, body := range t.Pieces() {
		b = append(append(b, head...), body...)
	}
	return b
}

// Pieces are the heads and the bodies of the datagrams. The train must have bodies.
func (t *Train) Pieces() iter.Seq2[[]byte, []byte] {
	return func(yield func(head, body []byte) bool) {
		heads, bodies := t.Bytes, t.Bodies
		for len(heads) > 0 {
			n := min(t.Length-DataHeaderSize, len(bodies))
			if !yield(heads[:DataHeaderSize], bodies[:n]) {
				return
			}
			heads, bodies = heads[DataHeaderSize:], bodies[n:]
		}
	}
}
