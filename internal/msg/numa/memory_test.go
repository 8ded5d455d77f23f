package numa

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// node is a job whose ranks are on a NUMA node each.
type node struct{}

func (node) Domain(rank int) job.Domain { return job.Domain{NUMA: rank} }
func (node) PageSize() int              { return os.Getpagesize() }

// fresh returns pages that nobody has touched, and a function that returns which of them are there.
func fresh(t *testing.T, pages int) (mem []byte, present func() []int) {
	mem, err := syscall.Mmap(-1, 0, pages*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mem)) })
	require.NoError(t, syscall.Madvise(mem, syscall.MADV_NOHUGEPAGE))
	return mem, func() (there []int) {
		bits := make([]byte, pages)
		require.NoError(t, sys.Present(sys.AddrOf(mem), uintptr(len(mem)), bits))
		for i, b := range bits {
			if b&1 != 0 {
				there = append(there, i)
			}
		}
		return there
	}
}

func TestSettle(t *testing.T) {
	page := os.Getpagesize()
	mem, present := fresh(t, 1500)
	m := Of(node{}, 1)
	mem[5*page] = 7
	m.SettleFrom(1, &btl.Buffer{Bytes: mem}, len(mem)) // a rank of the same node
	m.Settle(&btl.Buffer{}, 0)
	require.Equal(t, []int{5}, present())
	m.SettleFrom(0, &btl.Buffer{Bytes: mem[3*page+page/2:]}, 5*page+page/2+8) // shorter than its buffer
	require.Equal(t, []int{3, 4, 5, 6, 7, 8, 9}, present())
	require.EqualValues(t, 7, mem[5*page])
	m.Settle(&btl.Buffer{Bytes: mem}, len(mem))
	require.Len(t, present(), 1500)
	var none *Memory
	none.Settle(&btl.Buffer{Bytes: mem}, len(mem))
	none.Bind(sys.AddrOf(mem), len(mem))
}

// A layout has its own pages touched, and none between them.
func TestSettleLayout(t *testing.T) {
	page := os.Getpagesize()
	mem, present := fresh(t, 300)
	blocks, err := datatype.Vector(100, int64(page/2), int64(3*page), datatype.Byte)
	require.NoError(t, err)
	l, err := blocks.Times(1)
	require.NoError(t, err)
	b := &btl.Buffer{Bytes: mem, Layout: &l, Base: sys.AddrOf(mem)}
	want := make([]int, 100)
	for i := range want {
		want[i] = 3 * i
	}
	Of(node{}, 1).Settle(b, 70*page/2-1)
	require.Equal(t, want[:70], present())
	Of(node{}, 1).Settle(b, b.Len())
	require.Equal(t, want, present())
}

func TestUnbound(t *testing.T) { require.Nil(t, Of(node{}, job.Unknown)) }

// A look at memory that is there allocates nothing: it is in the path of messages.
func TestSettleAllocatesNothing(t *testing.T) {
	mem, _ := fresh(t, 16)
	clear(mem)
	m, b := Of(node{}, 1), btl.Buffer{Bytes: mem}
	require.Zero(t, testing.AllocsPerRun(100, func() { m.SettleFrom(0, &b, b.Len()) }))
}
