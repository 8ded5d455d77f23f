package coll

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/coll/cad"
)

// TestSignatures: calls that differ have other words, which say in what, up to the ends of
// their ranges.
func TestSignatures(t *testing.T) {
	named := func(bits uint64) *Op { return &Op{Size: 8, Commutative: true, Name: cad.Common | bits} }
	bytes := func(n int) Buffer { return Buffer{Data: make([]byte, n)} }
	seen := map[uint64]string{}
	for text, a := range map[string]*Args{
		"barrier":                                                    {Kind: Barrier},
		"bcast of 8 bytes, root 0":                                   {Kind: Bcast, Send: bytes(8)},
		"bcast of 8 bytes, root 65535":                               {Kind: Bcast, Send: bytes(8), Root: 1<<16 - 1},
		"bcast of 0 bytes, root 1":                                   {Kind: Bcast, Root: 1},
		"alltoall of 7 bytes":                                        {Kind: Alltoall, Send: Buffer{Block: 7}},
		"alltoall of 1073741822 bytes":                               {Kind: Alltoall, Send: Buffer{Block: 1<<30 - 2}},
		"alltoall of a GiB or more":                                  {Kind: Alltoall, Send: Buffer{Block: 1 << 40}},
		"alltoall of any lengths":                                    {Kind: Alltoall, Irregular: true},
		"allreduce of 8 bytes with 0":                                {Kind: Allreduce, Send: bytes(8), Op: named(0)},
		"allreduce of 8 bytes with 4095":                             {Kind: Allreduce, Send: bytes(8), Op: named(4095)},
		"scan of 8 bytes with an operator of the program on 4 bytes": {Kind: Scan, Send: bytes(8), Op: &Op{Size: 4, Commutative: true}},
		"reduce of 8 bytes with an operator of the program on 4 bytes that does not commute, root 3": {
			Kind: Reduce, Send: bytes(8), Root: 3, Op: &Op{Size: 4}},
	} {
		s := a.signature()
		require.Empty(t, seen[s], text)
		seen[s] = text
		require.Equal(t, text, DescribeCall(s, func(name uint64) string { return fmt.Sprint(name) }))
	}
	require.Equal(t, "a graph of the program", DescribeCall(0, nil))
}
