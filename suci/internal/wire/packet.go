package wire

import (
	"encoding/binary"
	"errors"
)

// Version is the format's version. Packets of another version are dropped.
const Version = 2

// Lanes is the number of priorities. Each has sequence numbers of its own.
const Lanes = 8

// Kind says what a packet is.
type Kind uint8

// The kinds of packets. Greetings open a session, the others belong to one: see SizeHeader for the last.
const (
	Data Kind = iota + 1
	Ack
	Probe
	Bye
	Hello
	Cookie
	Open
	Accept
	Size
)

// Greeting tells whether packets of the kind open a session.
func (k Kind) Greeting() bool { return k >= Hello && k <= Accept }

// Flags of a packet, in the byte of the lane.
const (
	FlagAck    = 0x08 // Data: an acknowledgement stands between header and payload
	FlagMore   = 0x10 // Data: more blocks wait behind this one
	FlagVoid   = 0x20 // Data: the sender has given the block up; no payload
	FlagNack   = 0x40 // Ack: a packet was refused because the receiver's queue is full
	FlagAsk    = 0x80 // Data: the sender wants an acknowledgement at once
	FlagAnswer = 0x80 // Ack: answers a probe; Size: answers one

	laneMask = Lanes - 1
)

// prefixSize is the length of what every packet begins with.
const prefixSize = 10

// ErrMalformed says that bytes are not a packet of this version.
var ErrMalformed = errors.New("suci/wire: parse packet: malformed; the sender is broken or no peer of this job")

// Prefix is what every packet begins with.
type Prefix struct {
	Tag   uint64
	Kind  Kind
	Lane  uint8
	Flags uint8
}

// Tag reads the tag of a packet, all that is legible of a sealed one.
func Tag(b []byte) (tag uint64, ok bool) {
	if len(b) < prefixSize {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

// ParsePrefix reads the beginning of a packet.
func ParsePrefix(b []byte) (Prefix, error) {
	if len(b) < prefixSize || b[8]>>4 != Version {
		return Prefix{}, ErrMalformed
	}
	p := Prefix{
		Tag:   binary.BigEndian.Uint64(b),
		Kind:  Kind(b[8] & 15),
		Lane:  b[9] & laneMask,
		Flags: b[9] &^ laneMask,
	}
	if p.Kind < Data || p.Kind > Size || p.Kind.Greeting() != (p.Tag == 0) {
		return Prefix{}, ErrMalformed
	}
	return p, nil
}

// Append writes the beginning of a packet.
func (p Prefix) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, p.Tag)
	return append(b, Version<<4|byte(p.Kind), p.Lane&laneMask|p.Flags&^laneMask)
}
