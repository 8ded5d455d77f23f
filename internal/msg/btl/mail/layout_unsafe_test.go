package mail

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

// TestLayout pins what ranks of different builds have in common. Whoever changes it
// raises the layout version of package job.
func TestLayout(t *testing.T) {
	var m message
	var d descriptor
	for _, c := range []struct {
		field      string
		have, want uintptr
	}{
		{"Header.Source", unsafe.Offsetof(m.Source), 0},
		{"Header.Tag", unsafe.Offsetof(m.Tag), 4},
		{"Header.Context", unsafe.Offsetof(m.Context), 8},
		{"Header.Flags", unsafe.Offsetof(m.Flags), 12},
		{"Header.Length", unsafe.Offsetof(m.Length), 16},
		{"Header.Cookie", unsafe.Offsetof(m.Cookie), 24},
		{"Header", unsafe.Sizeof(m.Header), btl.HeaderSize},
		{"message.inline", unsafe.Offsetof(m.inline), 32},
		{"message", unsafe.Sizeof(m), shm.SlotBody},
		{"offer", unsafe.Sizeof(offer{}), 24},
		{"eager", unsafe.Sizeof(eager{}), 16},
		{"descriptor.filled", unsafe.Offsetof(d.filled), 0},
		{"descriptor.lane", unsafe.Offsetof(d.lane), 8},
		{"descriptor.at", unsafe.Offsetof(d.at), 16},
		{"descriptor.fallenBack", unsafe.Offsetof(d.fallback), 24},
		{"descriptor.src", unsafe.Offsetof(d.src), 32},
		{"descriptor.short", unsafe.Offsetof(d.short), 56},
		{"descriptor.state", unsafe.Offsetof(d.state), 64},
		{"descriptor.take", unsafe.Offsetof(d.take), 72},
		{"descriptor.place", unsafe.Offsetof(d.place), 80},
		{"descriptor.drained", unsafe.Offsetof(d.drained), 88},
		{"descriptor.dst", unsafe.Offsetof(d.dst), 96},
		{"layoutRef", unsafe.Sizeof(d.dst), 24},
		{"descriptor.cursor", unsafe.Offsetof(d.cursor), 128},
		{"descriptor.copied", unsafe.Offsetof(d.copied), 136},
		{"descriptor.taking", unsafe.Offsetof(d.taking), 144},
		{"descriptor", unsafe.Sizeof(d), 192},
	} {
		require.Equal(t, c.want, c.have, c.field)
	}
}
