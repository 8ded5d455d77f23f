package check

import "unsafe"

const tableSize = int(unsafe.Sizeof(table{}))

var _ = [1]struct{}{}[tableSize%64] // whole cache lines

// tablesIn are the tables of so many ranks in their memory.
func tablesIn(memory []byte, ranks int) []table {
	return unsafe.Slice((*table)(unsafe.Pointer(unsafe.SliceData(memory[:ranks*tableSize]))), ranks)
}
