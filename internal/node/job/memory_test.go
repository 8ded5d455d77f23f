package job

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

func TestCreateAndMapShareTheBlock(t *testing.T) {
	for _, btl := range []BTL{BTLPvas, BTLSM} {
		for _, ranks := range []int{1, 2, 1000} {
			m, err := Create(Config{Ranks: ranks, BTL: btl, CPUs: 2, HugePages: TransparentPages})
			require.NoError(t, err)
			other := mapAgain(t, m)
			require.NotEqual(t, m.Addr(), other.Addr())
			r := other.Root()
			require.Equal(t, ranks, r.Ranks())
			require.Equal(t, btl, r.BTL())
			require.Equal(t, TransparentPages, r.HugePages())
			require.False(t, r.Holding())
			require.NoError(t, m.Root().Claim(ranks-1, 4711))
			require.Equal(t, 4711, r.Pid(ranks-1))
			require.NoError(t, other.Close())
			require.NoError(t, m.Close())
			require.NoError(t, m.Close(), "closing again does nothing")
		}
	}
}

func mapAgain(t *testing.T, m *Memory) *Memory {
	t.Helper()
	f, err := sys.DupCloexec(int(m.File().Fd()), "again")
	require.NoError(t, err)
	other, err := Map(f)
	require.NoError(t, err)
	return other
}

func TestSegmentsDoNotOverlapAndLieInTheFile(t *testing.T) {
	m, err := Create(Config{Ranks: 7, BTL: BTLSM, CPUs: 2})
	require.NoError(t, err)
	defer m.Close()
	r := m.Root()
	require.GreaterOrEqual(t, r.SegmentOffset(0), int64(rootSize(7)))
	for rank := range 7 {
		require.Zero(t, r.SegmentOffset(rank)%hugePage)
		require.Equal(t, r.SegmentOffset(0)+int64(rank)*r.SegmentStride(), r.SegmentOffset(rank))
	}
	info, err := m.File().Stat()
	require.NoError(t, err)
	require.Equal(t, r.SegmentOffset(7), info.Size())
	require.Error(t, m.File().Truncate(4096), "sealed")
	require.Error(t, m.File().Truncate(info.Size()+4096), "sealed")
}

func TestPlanSegments(t *testing.T) {
	for _, c := range []struct {
		ranks int
		btl   BTL
		limit uint64
		base  uint64
		step  uint64
	}{
		{8, BTLPvas, 0, 0, 0},
		{8, BTLSM, sys.Unlimited, hugePage, maxStride},
		{MaxRanks, BTLSM, sys.Unlimited, 133 * hugePage, maxStride},
		{1, BTLSM, 10 * hugePage, hugePage, 9 * hugePage},
		{4, BTLSM, 10*hugePage - 1, hugePage, 2 * hugePage},
		{9, BTLSM, 10 * hugePage, hugePage, hugePage},
	} {
		base, step, err := planSegments(Config{Ranks: c.ranks, BTL: c.btl}, c.limit)
		require.NoError(t, err)
		require.Equal(t, [2]uint64{c.base, c.step}, [2]uint64{base, step}, "%+v", c)
	}
	for _, limit := range []uint64{0, hugePage, 10*hugePage - 1} {
		_, _, err := planSegments(Config{Ranks: 9, BTL: BTLSM}, limit)
		require.ErrorContains(t, err, "RLIMIT_FSIZE")
	}
}

// A supervisor that comes late finds the memory by its file, with room for more ranks.
func TestPrivateHasRoom(t *testing.T) {
	m, err := Private()
	require.NoError(t, err)
	r := m.Root()
	require.Equal(t, 1, r.Ranks())
	require.True(t, r.Alone())
	require.Equal(t, BTLSM, r.BTL())
	f, err := sys.DupAbove(m.File(), 3)
	require.NoError(t, err)
	late, err := Map(f)
	require.NoError(t, err)
	require.False(t, late.Root().Alone())
	if sys.SoftLimit(sys.RlimitFsize) == sys.Unlimited {
		w, err := late.Root().AddWorld(2, 0, 1)
		require.NoError(t, err)
		require.Equal(t, w, r.World(2))
	}
	require.NoError(t, late.Close())
	require.NoError(t, m.Close())
}

// blockFile returns a file with a good root block that change has worked on.
func blockFile(t *testing.T, change func(b []byte) []byte) *os.File {
	t.Helper()
	m, err := Create(Config{Ranks: 2, BTL: BTLPvas, CPUs: 2})
	require.NoError(t, err)
	defer m.Close()
	b := make([]byte, rootSize(2))
	_, err = m.File().ReadAt(b, 0)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "block")
	require.NoError(t, os.WriteFile(path, change(b), 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func put32(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.NativeEndian.PutUint32(b[at:], v); return b }
}

func TestMapRefusesWhatIsNotAJob(t *testing.T) {
	sm := func(base, stride uint64) func([]byte) []byte {
		return func(b []byte) []byte {
			b = put32(28, uint32(BTLSM))(b)
			binary.NativeEndian.PutUint64(b[48:], base)
			binary.NativeEndian.PutUint64(b[56:], stride)
			return b
		}
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   string
		layout bool // the error is a *LayoutError
	}{
		{"empty", func(b []byte) []byte { return nil }, "read header: EOF", false},
		{"shorter than the header", func(b []byte) []byte { return b[:headerSize-1] }, "read header", false},
		{"shorter than the ranks", func(b []byte) []byte { return b[:len(b)-1] }, "size of the memory", true},
		{"zeros", func(b []byte) []byte { clear(b); return b }, "this is no job memory", true},
		{"magic", put32(0, 1), "this is no job memory", true},
		{"version", put32(8, 1), "version of the layout is 1, this program expects 46: build", true},
		{"header size", put32(12, 8), "size of the header", true},
		{"rank size", put32(16, 8), "size of a rank's block", true},
		{"windows", put32(20, 8), "number of window slots", true},
		{"no ranks", put32(24, 0), "number of ranks 0 is outside", false},
		{"too many ranks", put32(24, 1<<31), "number of ranks 2147483648 is outside", false},
		{"more ranks than room", put32(24, 3), "room for 2 ranks is outside", false},
		{"more room than memory", put32(240, 3), "size of the memory", true},
		{"unknown btl", put32(28, 7), "unknown BTL 7", false},
		{"no cpus", put32(32, 0), "number of CPUs", false},
		{"page size", put32(40, 1), "page size", true},
		{"no segments", sm(0, 0), "make no sense", false},
		{"segments over the root", sm(0, hugePage), "make no sense", false},
		{"crooked segments", sm(hugePage, 4096), "make no sense", false},
		{"segments that wrap", sm(hugePage, 1<<63), "make no sense", false},
		{"segments that end past int64", sm(hugePage, 1<<62), "make no sense", false},
		{"segments behind the end", sm(hugePage, hugePage), "size of the memory", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Map(blockFile(t, c.change))
			require.ErrorContains(t, err, c.want)
			require.Nil(t, m)
			var layout *LayoutError
			if c.layout {
				require.ErrorAs(t, err, &layout)
			}
		})
	}
}

func TestMapRefusesPipesAndDirectories(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	_, err = Map(r)
	require.ErrorContains(t, err, "read header")
	dir, err := os.Open(t.TempDir())
	require.NoError(t, err)
	defer dir.Close()
	_, err = Map(dir)
	require.ErrorContains(t, err, "read header")
}

// TestTraceBuffers: each rank has one of its own, shared with whoever has mapped the job.
func TestTraceBuffers(t *testing.T) {
	page := os.Getpagesize()
	for _, btl := range []BTL{BTLPvas, BTLSM} {
		m, err := Create(Config{Ranks: 3, BTL: btl, CPUs: 1, TraceSize: 2 * page})
		require.NoError(t, err)
		f, err := sys.DupCloexec(int(m.File().Fd()), "again")
		require.NoError(t, err)
		again, err := Map(f)
		require.NoError(t, err)
		for rank := range 3 {
			b := m.Root().TraceBuffer(rank)
			require.Len(t, b, 2*page)
			b[0], b[len(b)-1] = byte(rank+1), byte(rank+11)
		}
		for rank := range 3 {
			b := again.Root().TraceBuffer(rank)
			require.EqualValues(t, rank+1, b[0])
			require.EqualValues(t, rank+11, b[len(b)-1])
		}
		require.Nil(t, m.Root().TraceBuffer(3))
		require.NoError(t, again.Close())
		require.NoError(t, m.Close())
	}
	for _, size := range []int{-page, 100, maxTraceSize + page} {
		_, err := Create(Config{Ranks: 1, BTL: BTLPvas, CPUs: 1, TraceSize: size})
		require.ErrorContains(t, err, "no whole number of pages")
	}
}
