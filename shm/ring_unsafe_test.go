package shm

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// aligned returns n zeroed bytes of Go memory that start at a cache line.
func aligned(n int) []byte {
	lines := make([][cacheLine]byte, n/cacheLine+2)
	mem := unsafe.Slice(&lines[0][0], len(lines)*cacheLine)
	skip := -uintptr(unsafe.Pointer(&mem[0])) % cacheLine
	return mem[skip : int(skip)+n]
}

// TestMessageLayout pins what lies in shared memory. Whoever changes it raises the
// layout version of package job.
func TestMessageLayout(t *testing.T) {
	var h ringHeader
	var s Slot
	var p Pair
	for _, c := range []struct {
		field      string
		have, want uintptr
	}{
		{"ringHeader.head", unsafe.Offsetof(h.head), 0},
		{"ringHeader.tail", unsafe.Offsetof(h.tail), 64},
		{"ringHeader.starved", unsafe.Offsetof(h.starved), 128},
		{"ringHeader", unsafe.Sizeof(h), 256},
		{"Slot.word", unsafe.Offsetof(s.word), 0},
		{"Slot.Body", unsafe.Offsetof(s.Body), 8},
		{"Slot", unsafe.Sizeof(s), SlotSize},
		{"Pair.returned", unsafe.Offsetof(p.returned), 0},
		{"Pair.freed", unsafe.Offsetof(p.freed), 8},
		{"Pair", unsafe.Sizeof(p), PairSize},
	} {
		require.Equal(t, c.want, c.have, c.field)
	}
}
