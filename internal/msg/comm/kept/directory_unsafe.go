package kept

import (
	"sync/atomic"
	"unsafe"
)

const (
	// Blocks is how many blocks a rank keeps at one time, NameBytes the length of their names.
	Blocks    = 64
	NameBytes = 80
)

// directory is the blocks of a rank, in memory that others can attach.
type directory [Blocks]slot

// slot says what one block is.
type slot struct {
	version atomic.Int64  // by the program
	state   atomic.Uint32 // 1: the block is kept
	unit    uint32        // bytes of an element
	at      uint64        // where it is, and the bytes that others attach
	mapped  uint64
	bytes   uint64 // of the block
	length  uint64 // of its name
	name    [NameBytes]byte
}

const directorySize = int(unsafe.Sizeof(directory{}))

// directoryIn views memory as a directory. It starts at a page.
func directoryIn(mem []byte) *directory { return (*directory)(unsafe.Pointer(unsafe.SliceData(mem))) }
