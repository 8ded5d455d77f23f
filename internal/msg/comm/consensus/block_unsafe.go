package consensus

import (
	"sync/atomic"
	"unsafe"
)

const cacheLine = 64

// Block is what a member writes about a communicator.
type Block struct {
	key    atomic.Uint64 // of the communicator; 0: of none
	left   atomic.Uint32 // 1: the member has freed it
	awaits atomic.Uint32 // the member whose contribution it waits for, plus one
	_      [cacheLine - 16]byte

	given   [2]given
	decided [2]decided
}

// given is a contribution. number is published last.
type given struct {
	number, flag, id atomic.Uint64
	acked, kind      atomic.Uint32
	_                [cacheLine - 32]byte
}

// decided is a decision. number is published last.
type decided struct {
	number, flag, id    atomic.Uint64
	ends, lost, differs atomic.Uint32
	left                atomic.Uint32
	_                   [cacheLine - 40]byte
}

// page is memory that a member shares. Those of a member are a list; each is published when it is whole.
type page struct {
	next   uint64 // where the page before it is, plus one; 0: it is the first
	_      [cacheLine - 8]byte
	blocks [12]Block
}

const pageSize = int(unsafe.Sizeof(page{}))

// pageIn views memory as a page. It starts at a cache line.
func pageIn(mem []byte) *page { return (*page)(unsafe.Pointer(unsafe.SliceData(mem))) }
