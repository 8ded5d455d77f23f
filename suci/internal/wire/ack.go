package wire

import "encoding/binary"

// AckSize is the length of an acknowledgement without prefix and bitmap.
const AckSize = 32

// MaxSpan is the number of packets a bitmap tells of at most, and so the largest window.
const MaxSpan = 4096

// DelayUnknown is the delay of an acknowledgement that tells nothing of the round trip.
const DelayUnknown = 1<<32 - 1

// AckHeader tells a sender what has arrived on a lane and what it may send.
//
//	 0  next    8 bytes: all packets before this number have arrived
//	 8  limit   8 bytes: the window: packets from this number on must not be sent
//	16  delay   4 bytes: time in ns since the newest packet arrived
//	20  queue   4 bytes: KiB of complete blocks that nobody has read yet
//	24  resend  2 bytes: so many of the missing packets may be sent again, lowest first
//	26  span    2 bytes: so many packets from next on are described by the bitmap
//	28  lane    1 byte
//	29  zero    3 bytes
//
// The bitmap follows in words of 64 bits: bit i of the first word (counted from the
// lowest) is set if packet next+i has arrived.
type AckHeader struct {
	Next, Limit uint64
	Delay       uint32
	Queue       uint32
	Resend      uint16
	Span        uint16
	Lane        uint8
}

// Append writes the acknowledgement without its bitmap.
func (a *AckHeader) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, a.Next)
	b = binary.BigEndian.AppendUint64(b, a.Limit)
	b = binary.BigEndian.AppendUint32(b, a.Delay)
	b = binary.BigEndian.AppendUint32(b, a.Queue)
	b = binary.BigEndian.AppendUint16(b, a.Resend)
	b = binary.BigEndian.AppendUint16(b, a.Span)
	return append(b, a.Lane, 0, 0, 0)
}

// read reads what Append writes, and tells whether a writer can have written it.
func (a *AckHeader) read(b []byte) bool {
	*a = AckHeader{
		Next:   binary.BigEndian.Uint64(b),
		Limit:  binary.BigEndian.Uint64(b[8:]),
		Delay:  binary.BigEndian.Uint32(b[16:]),
		Queue:  binary.BigEndian.Uint32(b[20:]),
		Resend: binary.BigEndian.Uint16(b[24:]),
		Span:   binary.BigEndian.Uint16(b[26:]),
		Lane:   b[28],
	}
	return a.Lane < Lanes && a.Limit >= a.Next && b[29]|b[30]|b[31] == 0
}

// Bitmap is the bytes of a bitmap; Word reads 64 bits of it.
type Bitmap []byte

// Word returns the i-th 64 bits.
func (m Bitmap) Word(i int) uint64 { return binary.BigEndian.Uint64(m[8*i:]) }

// words is the number of 64-bit words for span bits.
func words(span uint16) int { return (int(span) + 63) / 64 }

// ParseAck reads an acknowledgement with prefix p.
func ParseAck(b []byte, p Prefix, a *AckHeader) (Bitmap, error) {
	if len(b) < prefixSize+AckSize || p.Flags&^(FlagNack|FlagAnswer) != 0 {
		return nil, ErrMalformed
	}
	ok := a.read(b[prefixSize:])
	m := Bitmap(b[prefixSize+AckSize:])
	if !ok || a.Span > MaxSpan || a.Resend > a.Span || len(m) != 8*words(a.Span) || a.Lane != p.Lane {
		return nil, ErrMalformed
	}
	return m, nil
}

// ProbeHeader asks a receiver what it lacks: may the sender resend, and how much?
//
//	10  sent     8 bytes: all packets before this number have been sent at least once
//	18  backlog  8 bytes: bytes of the lane that have not been sent yet
type ProbeHeader struct {
	Sent    uint64
	Backlog uint64
}

const probeSize = prefixSize + 16

// Append writes the probe after its prefix.
func (h ProbeHeader) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, h.Sent)
	return binary.BigEndian.AppendUint64(b, h.Backlog)
}

// ParseProbe reads a probe.
func ParseProbe(b []byte) (ProbeHeader, error) {
	if len(b) != probeSize {
		return ProbeHeader{}, ErrMalformed
	}
	return ProbeHeader{Sent: binary.BigEndian.Uint64(b[10:]), Backlog: binary.BigEndian.Uint64(b[18:])}, nil
}
