package coll

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// TestSignatures: calls that differ have other words, which say in what, up to the ends of
// their ranges.
func TestSignatures(t *testing.T) {
	named := func(bits uint64) *Op { return &Op{Size: 8, Commutative: true, Name: cad.Common | bits} }
	bytes := func(n int) Buffer { return Buffer{Data: make([]byte, n)} }
	seen := map[uint64]string{}
	for text, a := range map[string]*Args{
		"barrier":                      {Kind: Barrier},
		"bcast of 8 bytes, root 0":     {Kind: Bcast, Send: bytes(8)},
		"bcast of 8 bytes, root 65535": {Kind: Bcast, Send: bytes(8), Root: 1<<16 - 1},
		"bcast of 0 bytes, root 1":     {Kind: Bcast, Root: 1},
		"alltoall of 7 bytes":          {Kind: Alltoall, Send: Buffer{Block: 7}},
		"alltoall of 268435454 bytes":  {Kind: Alltoall, Send: Buffer{Block: 1<<28 - 2}},
		"alltoall of 256 MiB or more":  {Kind: Alltoall, Send: Buffer{Block: 1 << 40}},
		"alltoall of any lengths":      {Kind: Alltoall, Irregular: true},
		"allreduce of 8 bytes with 0":  {Kind: Allreduce, Send: bytes(8), Op: named(0)},
		"allreduce of 8 bytes with 1023": {Kind: Allreduce,
			Send: bytes(8), Op: named(1023)},
		"scan of 8 bytes with an operator of the program on 4 bytes": {Kind: Scan, Send: bytes(8),
			Op: &Op{Size: 4, Commutative: true}},
		"reduce of 8 bytes with an operator of the program on 4 bytes that does not commute, root 3": {
			Kind: Reduce, Send: bytes(8), Root: 3, Op: &Op{Size: 4}},
	} {
		s := a.signature(a.agreed())
		require.Empty(t, seen[s], text)
		seen[s] = text
		require.Equal(t, text, DescribeCall(s, func(name uint64) string { return fmt.Sprint(name) }))
	}
	require.Equal(t, "a graph of the program", DescribeCall(0, nil))
}

// TestElementsOfCalls: a checked call says what it moves, unless there is nothing or it is not
// known, and goes with a call that does not say it.
func TestElementsOfCalls(t *testing.T) {
	team := &Team{Size: 2, Check: true}
	word := func(send, recv Buffer) uint64 { return team.word(&Args{Kind: Bcast, Send: send, Recv: recv}) }
	data := make([]byte, 8)
	ints, unknown := Buffer{Data: data, Of: datatype.ElementInt32}, Buffer{Data: data}
	require.Equal(t, "bcast of 8 bytes, root 0 (4-byte integers)", DescribeCall(word(ints, Buffer{}), nil))
	require.Equal(t, word(ints, Buffer{}), word(unknown, ints))
	require.Equal(t, word(unknown, Buffer{}), word(unknown, Buffer{Of: datatype.ElementFloat64}))
	floats := word(Buffer{Data: data, Of: datatype.ElementFloat64}, Buffer{})
	require.NotZero(t, cad.Between(0, floats, 1, word(ints, Buffer{})))
	require.Zero(t, cad.Between(0, floats, 1, word(unknown, Buffer{})))
	barrier := (&Args{Kind: Barrier}).signature(0)
	require.Equal(t, "barrier", DescribeCall(barrier|word(ints, Buffer{})&cad.Elements, nil),
		"it has met the other call")
	team.Check = false
	require.Equal(t, word(unknown, Buffer{}), word(ints, Buffer{}))
}
