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
//
// All packets of a block carry equally many bytes of it, payload, but the last one carries fewer by short. So
// each packet tells the payload by its length. Blocks of a session may have different ones.
type DataHeader struct {
	Short   uint16
	Index   uint32
	Seq     uint64
	Total   uint32
	Place   uint32
	Payload int // not written; 0 if the sender has given the block up
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

// ParseData reads a data packet whose prefix is p. ack is valid if p has FlagAck.
func ParseData(b []byte, p Prefix, h *DataHeader, ack *AckHeader) (body []byte, err error) {
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
	if h.Index >= h.Total || uint64(h.Index) > h.Seq || h.Begin()+uint64(h.Total) < h.Begin() {
		return nil, ErrMalformed
	}
	body = b[DataHeaderSize:]
	if p.Flags&FlagAck != 0 {
		if body, err = parsePiggyback(body, ack); err != nil {
			return nil, err
		}
	}
	if !h.measure(p.Flags, len(body)) {
		return nil, ErrMalformed
	}
	return body, nil
}

// measure finds the payload by the length of the packet's body. It returns false if the last packet of
// the block would be empty though there are others, or longer than they are.
func (h *DataHeader) measure(flags uint8, body int) bool {
	if flags&FlagVoid != 0 {
		return body == 0
	}
	if h.Payload = body; h.Index == h.Total-1 {
		h.Payload += int(h.Short)
	}
	return h.Payload > int(h.Short) || h.Total == 1
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

// BlockLength is the length of the block in bytes, 0 if the sender has given it up.
func (h *DataHeader) BlockLength() int { return max(0, int(h.Total)*h.Payload-int(h.Short)) }

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
