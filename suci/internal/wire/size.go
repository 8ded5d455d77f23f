package wire

import "encoding/binary"

// SizeHeader asks by the length of its packet whether the path carries such packets. The answer has FlagAnswer,
// the same contents, and nothing behind them.
//
//	10  number  4 bytes: which question
//	14  size    2 bytes: length of the datagram that asks; zeros follow up to it
type SizeHeader struct {
	Number uint32
	Size   uint16
}

const sizeSize = prefixSize + 6

// Append writes the header after its prefix.
func (h SizeHeader) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, h.Number)
	return binary.BigEndian.AppendUint16(b, h.Size)
}

// ParseSize reads a question or an answer with prefix p. overhead is how much longer the datagram was.
func ParseSize(b []byte, p Prefix, overhead int) (h SizeHeader, err error) {
	if len(b) < sizeSize || p.Flags&^FlagAnswer != 0 || p.Lane != 0 {
		return h, ErrMalformed
	}
	h = SizeHeader{Number: binary.BigEndian.Uint32(b[10:]), Size: binary.BigEndian.Uint16(b[14:])}
	length := sizeSize
	if p.Flags&FlagAnswer == 0 {
		length = int(h.Size) - overhead
	}
	if len(b) != length {
		return h, ErrMalformed
	}
	return h, nil
}
