package trace

import (
	"encoding/binary"
	"hash/crc32"
)

// Magic begins every file, version follows it.
const (
	Magic   = "gopvastr"
	version = 1

	fileHeader  = 16
	blockHeader = 24

	lanes     = 2  // of a rank
	laneShift = 16 // of the lane, in the rank of a block

	// maxBlock bounds the payload of a block.
	maxBlock = 64 << 20
)

// blockType says what is in a block.
type blockType uint32

const (
	blockMeta blockType = iota + 1
	blockEvents
	blockClock
	blockEnd
)

// header is what stands before the payload of a block.
type header struct {
	kind   blockType
	rank   uint32
	length uint32
	sum    uint32
	first  uint64
}

func (h *header) bytes() (b [blockHeader]byte) {
	binary.LittleEndian.PutUint32(b[0:], uint32(h.kind))
	binary.LittleEndian.PutUint32(b[4:], h.rank)
	binary.LittleEndian.PutUint32(b[8:], h.length)
	binary.LittleEndian.PutUint32(b[12:], h.sum)
	binary.LittleEndian.PutUint64(b[16:], h.first)
	return b
}

func parseHeader(b []byte) header {
	return header{
		kind: blockType(binary.LittleEndian.Uint32(b[0:])), rank: binary.LittleEndian.Uint32(b[4:]),
		length: binary.LittleEndian.Uint32(b[8:]), sum: binary.LittleEndian.Uint32(b[12:]),
		first: binary.LittleEndian.Uint64(b[16:]),
	}
}

// checksum is that of the header, without its own sum, and the payload in parts.
func (h header) checksum(payload ...[]byte) uint32 {
	h.sum = 0
	b := h.bytes()
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // made by the first call: most ranks record nothing
	sum := crc32.Update(0, castagnoli, b[:])
	for _, p := range payload {
		sum = crc32.Update(sum, castagnoli, p)
	}
	return sum
}
