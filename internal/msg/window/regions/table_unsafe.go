package regions

import "unsafe"

// Size is the bytes that a rank has in the memory that all share: whole cache lines.
const Size = int(unsafe.Sizeof(regions{}))

var _ = [1]struct{}{}[Size%64]

// New finds the table in its memory, of Size bytes for each rank of a node, for one of them.
func New(memory []byte, ranks, rank int) *Table {
	first := (*regions)(unsafe.Pointer(unsafe.SliceData(memory[:ranks*Size])))
	return &Table{all: unsafe.Slice(first, ranks), rank: rank}
}
