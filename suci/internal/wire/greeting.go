package wire

import "encoding/binary"

// Sizes of a greeting and of its parts. All greetings are equally long, so no answer is longer than its question.
const (
	GreetingSize = prefixSize + 102 + ProofSize
	NonceSize    = 16
	ProofSize    = 32
)

// MinPacket is the longest datagram that any path carries, and so the smallest packet size a session can have.
const MinPacket = 512

// GreetingHeader is the contents of the four packets that open a session.
//
//	10  from         4 bytes: ID of the sender
//	14  to           4 bytes: ID of the receiver
//	18  incarnation  8 bytes: the sender's
//	26  expected     8 bytes: incarnation of the receiver, as far as known, else 0
//	34  nonce        16 bytes: chosen by the peer that opens the session
//	50  cookie       32 bytes: chosen by the other one; in an Accept, its nonce; in a Hello, both
//	                 nonces of the session that it asks about, zero if none
//	82  packet       2 bytes: longest datagram
//	84  window       4 bytes: packets that may be sent on each lane at first
//	88  block        8 bytes: longest block without a place
//	96  sealed       1 byte: 1 if packets are encrypted
//	97  zero         15 bytes
//	112 proof        32 bytes: shows knowledge of the key
type GreetingHeader struct {
	From, To    uint32
	Incarnation uint64
	Expected    uint64
	Nonce       [NonceSize]byte
	Cookie      [ProofSize]byte
	Packet      uint16
	Window      uint32
	Block       uint64
	Sealed      bool
}

// Append writes the greeting without its proof; what is proved is all that stands in b.
func (g *GreetingHeader) Append(b []byte, kind Kind) []byte {
	b = Prefix{Kind: kind}.Append(b)
	b = binary.BigEndian.AppendUint32(b, g.From)
	b = binary.BigEndian.AppendUint32(b, g.To)
	b = binary.BigEndian.AppendUint64(b, g.Incarnation)
	b = binary.BigEndian.AppendUint64(b, g.Expected)
	b = append(b, g.Nonce[:]...)
	b = append(b, g.Cookie[:]...)
	b = binary.BigEndian.AppendUint16(b, g.Packet)
	b = binary.BigEndian.AppendUint32(b, g.Window)
	b = binary.BigEndian.AppendUint64(b, g.Block)
	sealed := byte(0)
	if g.Sealed {
		sealed = 1
	}
	return append(append(b, sealed), make([]byte, 15)...)
}

// ParseGreeting reads a greeting. signed is what the proof is about.
func ParseGreeting(b []byte, g *GreetingHeader) (signed, proof []byte, err error) {
	if len(b) != GreetingSize || b[9] != 0 || b[96] > 1 || [15]byte(b[97:]) != [15]byte{} {
		return nil, nil, ErrMalformed
	}
	*g = GreetingHeader{
		From:        binary.BigEndian.Uint32(b[10:]),
		To:          binary.BigEndian.Uint32(b[14:]),
		Incarnation: binary.BigEndian.Uint64(b[18:]),
		Expected:    binary.BigEndian.Uint64(b[26:]),
		Nonce:       [NonceSize]byte(b[34:]),
		Cookie:      [ProofSize]byte(b[50:]),
		Packet:      binary.BigEndian.Uint16(b[82:]),
		Window:      binary.BigEndian.Uint32(b[84:]),
		Block:       binary.BigEndian.Uint64(b[88:]),
		Sealed:      b[96] == 1,
	}
	if g.Packet < MinPacket || g.Incarnation == 0 || g.Window > MaxSpan {
		return nil, nil, ErrMalformed
	}
	return b[:GreetingSize-ProofSize], b[GreetingSize-ProofSize : GreetingSize], nil
}
