package job

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestLayout pins the ABI of the root block. Whoever changes a number here raises
// layoutVersion.
func TestLayout(t *testing.T) {
	require.EqualValues(t, 1, layoutVersion)
	var h header
	var p holdBlock
	var b rankBlock
	for _, c := range []struct {
		field      string
		have, want uintptr
	}{
		{"constants", unsafe.Sizeof(h.constants), 64},
		{"magic", unsafe.Offsetof(h.magic), 0},
		{"version", unsafe.Offsetof(h.version), 8},
		{"headerSize", unsafe.Offsetof(h.headerSize), 12},
		{"rankSize", unsafe.Offsetof(h.rankSize), 16},
		{"windows", unsafe.Offsetof(h.constants.windows), 20},
		{"ranks", unsafe.Offsetof(h.ranks), 24},
		{"btl", unsafe.Offsetof(h.btl), 28},
		{"cpus", unsafe.Offsetof(h.cpus), 32},
		{"flags", unsafe.Offsetof(h.flags), 36},
		{"pageSize", unsafe.Offsetof(h.pageSize), 40},
		{"segmentBase", unsafe.Offsetof(h.segmentBase), 48},
		{"segmentStride", unsafe.Offsetof(h.segmentStride), 56},
		{"firstLost", unsafe.Offsetof(h.firstLost), 64},
		{"goneCount", unsafe.Offsetof(h.goneCount), 68},
		{"arrivals", unsafe.Offsetof(h.arrivals), 128},
		{"barrierEvent", unsafe.Offsetof(h.barrierEvent), 192},
		{"holds", unsafe.Offsetof(h.holds), 256},
		{"header", unsafe.Sizeof(h), 512},

		{"holdBlock.reached", unsafe.Offsetof(p.reached), 0},
		{"holdBlock.reachedEvent", unsafe.Offsetof(p.reachedEvent), 4},
		{"holdBlock.released", unsafe.Offsetof(p.released), 64},
		{"holdBlock.releasedEvent", unsafe.Offsetof(p.releasedEvent), 68},
		{"holdBlock", unsafe.Sizeof(p), 128},

		{"rankBlock.pid", unsafe.Offsetof(b.pid), 0},
		{"rankBlock.state", unsafe.Offsetof(b.state), 4},
		{"rankBlock.arrived", unsafe.Offsetof(b.arrived), 8},
		{"rankBlock.partition", unsafe.Offsetof(b.partition), 64},
		{"rankBlock.partitionSize", unsafe.Offsetof(b.partitionSize), 72},
		{"rankBlock.arena", unsafe.Offsetof(b.arena), 80},
		{"rankBlock.arenaSize", unsafe.Offsetof(b.arenaSize), 88},
		{"rankBlock.gone", unsafe.Offsetof(b.gone), 96},
		{"rankBlock.windows", unsafe.Offsetof(b.windows), 128},
		{"windowSlot.length", unsafe.Offsetof(b.windows[0].length), 8},
		{"rankBlock", unsafe.Sizeof(b), 640},
	} {
		require.Equal(t, c.want, c.have, c.field)
	}
}

func TestMagicReadsAsText(t *testing.T) {
	m := uint64(layoutMagic)
	require.Equal(t, "\x01gopvasj", string(unsafe.Slice((*byte)(unsafe.Pointer(&m)), 8)))
}
