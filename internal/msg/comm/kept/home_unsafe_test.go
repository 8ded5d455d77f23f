package kept

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// memory is that of a rank, by place.
type memory struct {
	btl.Memory
	blocks map[uint64][]byte
	left   int // blocks that there is room for
}

func (m *memory) take(n int) ([]byte, uint64, error) {
	if m.left--; m.left < 0 {
		return nil, 0, btl.ErrExhausted
	}
	words, at := make([]uint64, (n+7)/8+1), uint64(4096*(1+len(m.blocks)))
	m.blocks[at] = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	return m.blocks[at], at, nil
}

func (m *memory) Attach(_ int, at uint64, n int) ([]byte, error) {
	if len(m.blocks[at]) < n {
		return nil, errors.New("no such memory")
	}
	return m.blocks[at][:n:n], nil
}

// A rank keeps blocks by names, until they are freed. Others find those that it keeps when it has gone, and no others.
func TestKeep(t *testing.T) {
	shared, err := job.InHeap(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	root, h, m := shared.Root(), &Home{}, &memory{blocks: map[uint64][]byte{}, left: 1}
	keep := func(name string, bytes int) (*Block, error) { return h.Keep(root, 1, m.take, name, bytes, 4) }

	_, err = Of(m, root, 1, "a")
	require.ErrorIs(t, err, ErrNone)
	_, err = keep("", 8)
	require.ErrorIs(t, err, errName)
	_, err = keep(strings.Repeat("x", NameBytes+1), 8)
	require.ErrorIs(t, err, errName)
	_, err = keep("a", 8)
	require.ErrorIs(t, err, btl.ErrExhausted)

	m.left = 100
	var all []*Block
	for i := range Blocks {
		b, err := keep(fmt.Sprint("block ", i), 8*i)
		require.NoError(t, err)
		require.Len(t, b.Memory, 8*i)
		b.SetVersion(int64(i) - 3)
		all = append(all, b)
	}
	_, err = keep("block 7", 8)
	require.ErrorIs(t, err, errTwice)
	_, err = keep("more", 8)
	require.ErrorIs(t, err, errFull)
	require.ErrorIs(t, h.Free(h.Named("more")), ErrNone)

	seven := all[7]
	require.NoError(t, h.Free(seven))
	require.ErrorIs(t, h.Free(seven), ErrNone)
	seven.SetVersion(9)
	require.Zero(t, seven.Version())
	more, err := keep(strings.Repeat("y", NameBytes), 24)
	require.NoError(t, err)
	require.Zero(t, more.Version())
	copy(more.Memory, "what is left")

	root.MarkGone(1)
	_, err = Of(m, root, 1, "block 7")
	require.ErrorIs(t, err, ErrNone)
	_, err = Of(m, root, 1, "")
	require.ErrorIs(t, err, ErrNone)
	left, err := Of(m, root, 1, strings.Repeat("y", NameBytes))
	require.NoError(t, err)
	require.Equal(t, "what is left", string(left.Memory[:12]))
	require.Len(t, left.Memory, 24)
	left, err = Of(m, root, 1, "block 63")
	require.NoError(t, err)
	require.Equal(t, []int{60, 4, 8 * 63}, []int{int(left.Version), left.Unit, len(left.Memory)})
}
