package btltest

import (
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// shapes are ways to lay a message out: many pieces of size bytes, the starts of which are
// stride bytes apart. The first is one piece.
var shapes = []struct{ size, stride int64 }{
	{},
	{8, 72},      // a column
	{33, 40},     // records with padding
	{5000, 5120}, // blocks
}

// shaped is a buffer of one of the shapes. Bytes is all of its memory.
type shaped struct {
	btl.Buffer
	layout datatype.Layout
}

// newShaped makes a buffer of n bytes. The last piece may be shorter than the others.
func newShaped(e *env, shape, n int) *shaped {
	if shape == 0 {
		return &shaped{Buffer: btl.Buffer{Bytes: make([]byte, n)}}
	}
	s := shapes[shape]
	full, rest := int64(n)/s.size, int64(n)%s.size
	pieces, err := datatype.Hvector(full, s.size, s.stride, datatype.Byte)
	require.NoError(e, err)
	whole, err := datatype.Struct([]int64{1, rest}, []int64{0, full * s.stride},
		[]*datatype.Type{pieces, datatype.Byte})
	require.NoError(e, err)
	b := &shaped{}
	b.layout, err = whole.Times(1)
	require.NoError(e, err)
	b.Bytes = make([]byte, (full+1)*s.stride)
	b.Layout, b.Base = &b.layout, sys.AddrOf(b.Bytes)
	return b
}
