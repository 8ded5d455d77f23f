package lock

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Lay finds the words in their memory, of Size bytes, for the rank of a communicator whose ranks share them.
func (w *Words) Lay(own *comm.Comm, memory []byte) { w.lay(own, own.Rank(), own.Size(), memory) }

func (w *Words) lay(own *comm.Comm, me, ranks int, memory []byte) {
	w.own, w.me = own, me
	at := unsafe.Pointer(unsafe.SliceData(memory[:Size(ranks)]))
	w.head = (*head)(at)
	at = unsafe.Add(at, headSize)
	w.records = unsafe.Slice((*record)(at), ranks)
	at = unsafe.Add(at, ranks*recordSize)
	w.stripes = unsafe.Slice((*Stripe)(at), stripesFor(ranks))
}

// asleepBits has a bit for each rank, which is set while goroutines of it sleep.
func (w *Words) asleepBits() []atomic.Uint64 {
	at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.stripes)), len(w.stripes)*stripeSize)
	return unsafe.Slice((*atomic.Uint64)(at), (len(w.records)+bitsOfWord-1)/bitsOfWord)
}

// cmd/libmpi/window.c has these offsets. A constant below overflows if a field has moved.
const (
	_ = -unsafe.Offsetof(Words{}.head)
	_ = -(unsafe.Offsetof(Words{}.records) ^ 8)
	_ = -(unsafe.Offsetof(Words{}.stripes) ^ 32)
	_ = -(unsafe.Offsetof(Words{}.me) ^ 56)

	_ = -(unsafe.Offsetof(head{}.sleepers) ^ cacheLine)
	_ = -(unsafe.Offsetof(record{}.held) ^ cacheLine)
	_ = -(unsafe.Offsetof(Stripe{}.singles) ^ cacheLine)
)
