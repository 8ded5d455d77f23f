package board

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestBoardLayout pins what is shared, and that words of different writers lie in
// different cache lines.
func TestBoardLayout(t *testing.T) {
	var (
		h head
		s slot
		p block
		o given
	)
	for _, c := range []struct {
		name      string
		have, pin uintptr
	}{
		{"head.arrivals", unsafe.Offsetof(h.arrivals), 0},
		{"head.asleep", unsafe.Offsetof(h.asleep), 8},
		{"head.released", unsafe.Offsetof(h.released), 64},
		{"head.units", unsafe.Offsetof(h.units), 72},
		{"head.plan", unsafe.Offsetof(h.plan), 80},
		{"head.watchers", unsafe.Offsetof(h.watchers), 128},
		{"head.finished", unsafe.Offsetof(h.finished), 192},
		{"head.failure", unsafe.Offsetof(h.failure), 256},
		{"head.inherited", unsafe.Offsetof(h.inherited), 448},
		{"head.lanes", unsafe.Offsetof(h.lanes), 640},
		{"size of lane", unsafe.Sizeof(lane{}), 64},
		{"slot.record", unsafe.Offsetof(s.record), 0},
		{"slot.passed", unsafe.Offsetof(s.passed), 128},
		{"size of slot", unsafe.Sizeof(s), 192},
		{"slot.places", unsafe.Offsetof(s.places), 160},
		{"slot.waits", unsafe.Offsetof(s.waits), 176},
		{"block.ready", unsafe.Offsetof(p.ready), 0},
		{"block.data", unsafe.Offsetof(p.data), 16},
		{"size of block", unsafe.Sizeof(p), 4096},
		{"given.call", unsafe.Offsetof(o.call), 0},
		{"given.data", unsafe.Offsetof(o.data), 16},
		{"size of given", unsafe.Sizeof(o), 64},
	} {
		require.Equal(t, c.pin, c.have, c.name)
	}
}
