package wire

import "encoding/binary"

// DataHeaderSize is the length of a data packet without payload and acknowledgement.
const DataHeaderSize = 32

// DataHeader describes the payload of a packet. Each packet names its block, the block's
// length and its place, so packets can arrive in any order.
//
//	10  short  2 bytes: length of the block = total * payload - short
//	12  index  4 bytes: which packet of the block; the block starts at seq - index
//	16  seq    8 bytes: sequence number in the lane, in packets
//	24  total  4 bytes: packets in the block
//	28  place  4 bytes: where the receiver wants the block, 0 for anywhere
type DataHeader struct {
	Short uint16
	Index uint32
	Seq   uint64
	Total uint32
	Place uint32
}

// Begin is the sequence number of the block's first packet, which names the block.
func (h *DataHeader) Begin() uint64 { return h.Seq - uint64(h.Index) }

// Append writes header after prefix.
func (h *DataHeader) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, h.Short)
	b = binary.BigEndian.AppendUint32(b, h.Index)
	b = binary.BigEndian.AppendUint64(b, h.Seq)
	b = binary.BigEndian.AppendUint32(b, h.Total)
	return binary.BigEndian.AppendUint32(b, h.Place)
}

// ParseData reads a data packet whose prefix is p. payload is the number of bytes that
// every packet of the session carries but the last of a block. ack is valid if p has
// FlagAck.
func ParseData(b []byte, p Prefix, payload int, h *DataHeader, ack *AckHeader) (body []byte, err error) {
	if len(b) < DataHeaderSize || p.Flags&FlagNack != 0 {
		return nil, ErrMalformed
	}
	*h = DataHeader{
		Short: binary.BigEndian.Uint16(b[10:]),
		Index: binary.BigEndian.Uint32(b[12:]),
		Seq:   binary.BigEndian.Uint64(b[16:]),
		Total: binary.BigEndian.Uint32(b[24:]),
		Place: binary.BigEndian.Uint32(b[28:]),
	}
	if h.Index >= h.Total || uint64(h.Index) > h.Seq || int(h.Short) > payload ||
		h.Begin()+uint64(h.Total) < h.Begin() || (int(h.Short) == payload && h.Total > 1) {
		return nil, ErrMalformed
	}
	body = b[DataHeaderSize:]
	if p.Flags&FlagAck != 0 {
		if body, err = parsePiggyback(body, ack); err != nil {
			return nil, err
		}
	}
	if len(body) != h.bodySize(p.Flags, payload) {
		return nil, ErrMalformed
	}
	return body, nil
}

// parsePiggyback reads an acknowledgement that a data packet carries. It has no bitmap.
func parsePiggyback(b []byte, ack *AckHeader) (rest []byte, err error) {
	if len(b) < AckSize {
		return nil, ErrMalformed
	}
	if !ack.read(b) || ack.Span != 0 || ack.Resend != 0 {
		return nil, ErrMalformed
	}
	return b[AckSize:], nil
}

// bodySize is the length of the packet's payload.
func (h *DataHeader) bodySize(flags uint8, payload int) int {
	switch {
	case flags&FlagVoid != 0:
		return 0
	case h.Index == h.Total-1:
		return payload - int(h.Short)
	}
	return payload
}

// BlockLength is the length of the block in bytes.
func (h *DataHeader) BlockLength(payload int) int { return int(h.Total)*payload - int(h.Short) }

// Continues tells whether a packet is the n-th one behind a first one in a block, and tells
// nothing else, but that it may ask for an acknowledgement. The first one must be a data packet
// that was read; b must have a header.
func Continues(first, b []byte, n int) bool {
	be := binary.BigEndian
	const same = ^uint32(FlagAsk << 16)
	return be.Uint64(b) == be.Uint64(first) && be.Uint32(b[8:])&same == be.Uint32(first[8:])&same && // prefix and short
		be.Uint32(b[12:]) == be.Uint32(first[12:])+uint32(n) && be.Uint64(b[16:]) == be.Uint64(first[16:])+uint64(n) &&
		be.Uint64(b[24:]) == be.Uint64(first[24:]) // total and place
}

// Asks tells whether the sender of a data packet wants an acknowledgement at once.
func Asks(b []byte) bool { return b[9]&FlagAsk != 0 }
