package pvas

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/limits"
)

const usual = limits.UsualStack

func TestLayoutKeepsHotPagesTogether(t *testing.T) {
	for _, c := range []struct {
		lo, hi, align, size, stack, small uint64
	}{
		{0x400000, 0x5e4000, 4096, 64 << 30, usual, 140 << 10}, // a Go PIE
		{0, 0x9000, 4096, 64 << 20, limits.LeastStack, 0},
		{0x200000, 0x900000, 2 << 20, 1 << 30, 64 << 20, leastPage},
		{0x200000, 0x900000, 2 << 20, 64 << 30, unlimitedStack, 64 << 10},
		{0x1000, 0x9000, 2 << 20, 1 << 30, usual + leastPage, 1 << 20},
		{0x10000, 0x90000, 64 << 10, 1 << 30, usual + 64<<10, 64 << 10}, // pages of 64 KiB
	} {
		img := &image{lo: c.lo, hi: c.hi, align: c.align, entry: c.lo + 0x10}
		base := c.size * 3
		l, err := lay(3, base, c.size, program{img: img}, extents{c.stack, c.small})
		require.NoError(t, err)
		require.Equal(t, c.stack, l.Stack.Len())
		require.GreaterOrEqual(t, l.Stack.Start, base+guardSize)
		require.Equal(t, uint64(stackShare), l.Stack.End%tableSpan,
			"the used end of the stack shares a table page with the program")
		require.Equal(t, Range{l.Stack.End, l.Stack.End + c.small}, l.SmallRegion)
		require.GreaterOrEqual(t, l.Image.Start, l.SmallRegion.End)
		require.Less(t, l.Image.Start-l.SmallRegion.End, c.align)
		require.Zero(t, (l.Image.Start-img.lo)%c.align)
		require.Equal(t, img.hi-img.lo, l.Image.Len())
		require.Equal(t, l.Image.Start+0x10, l.Entry)
		require.Equal(t, l.Image.End, l.Arena.Start)
		require.Equal(t, base+c.size, l.Arena.End)
	}
	_, err := lay(0, 1<<40, limits.MinPartition, program{img: &image{hi: 60 << 20, align: leastPage}},
		extents{stack: usual})
	require.ErrorIs(t, err, ErrTooSmall)
}

// What a program finds on its stack, parsed as its libc would.
func TestStackContents(t *testing.T) {
	memory := make([]byte, 64<<10)
	start := uint64(0x7000_0000_0000)
	img := &image{lo: 0x1000, hi: 0x9000, phdr: 0x1040, phnum: 9, entry: 0x2000}
	l := Layout{Image: Range{start + 1<<20, start + 1<<20 + 0x8000}, Offset: start + 1<<20 - img.lo}
	spec := &TaskSpec{Path: "/some/prog", Args: []string{"prog", "", "x y"}, Env: []string{"A=1", "B="}}
	b := &stackBuilder{memory, start, start + uint64(len(memory))}
	auxv, err := b.auxv(l, program{img: img}, spec, b.push(make([]byte, 16)))
	require.NoError(t, err)
	b.vector(spec.Args, spec.Env, auxv)

	at := b.sp
	word := func() uint64 {
		v := binary.LittleEndian.Uint64(memory[at-start:])
		at += 8
		return v
	}
	text := func(addr uint64) string {
		s, _, found := strings.Cut(string(memory[addr-start:]), "\x00")
		require.True(t, found)
		return s
	}
	list := func() (l []string) {
		for p := word(); p != 0; p = word() {
			l = append(l, text(p))
		}
		return l
	}
	require.Zero(t, b.sp%16)
	require.Equal(t, uint64(3), word())
	require.Equal(t, spec.Args, list())
	require.Equal(t, spec.Env, list())
	aux := map[uint64]uint64{}
	for tag := word(); tag != atNull; tag = word() {
		require.NotContains(t, aux, tag, "each tag once")
		aux[tag] = word()
	}
	bias := l.Image.Start - img.lo
	require.Equal(t, img.phdr+bias, aux[atPhdr])
	require.Equal(t, img.entry+bias, aux[atEntry])
	require.Equal(t, uint64(9), aux[atPhnum])
	require.Equal(t, uint64(0), aux[atBase])
	require.Equal(t, uint64(os.Getuid()), aux[atUID])
	require.Equal(t, "/some/prog", text(aux[atExecFn]))
	require.Equal(t, here.platform, text(aux[atPlatform]))
	const atPagesz, atSysinfoEhdr, atHwcap = 6, 33, 16
	require.Equal(t, here.page, aux[atPagesz])
	require.NotZero(t, aux[atSysinfoEhdr], "the vDSO is shared")
	require.NotZero(t, aux[atHwcap])
}
