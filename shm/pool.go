package shm

import (
	"math/bits"
	"sync/atomic"
)

const (
	// MaxBuffers is the largest number of buffers of a Pool.
	MaxBuffers = 64

	// initialBuffers is how many buffers are in use before there is a need for more.
	// Few of them stay in the cache.
	initialBuffers = 8
)

// Pool tells which of a row of equal buffers are free. One sender takes, one receiver
// gives back, through one word in shared memory: a set of buffers.
//
//	state of a buffer     known by                      changed by
//	unused                at or above fresh             sender: fresh grows
//	free                  bit in free                   sender: Take
//	taken, with receiver  bit nowhere                   receiver: Returns.Buffer
//	given back            bit in the shared word        sender: Take moves all to free
//
// The receiver alone sets a bit (atomic or), and the sender alone clears it (atomic
// swap with 0). Each does so only for a buffer in the state before. So no buffer is
// lost or given out twice. There is no ABA problem, as there is no link to be misread.
// Both are atomic, so the receiver's read comes before the sender's next write.
// If the receiver is killed, the buffers that it has are gone with it: nobody else
// wants to send there.
//
// The sender uses up its private set before it looks at the shared word, and uses
// buffers that were never used only if that is empty: memory is touched as the need
// arises.
type Pool struct {
	freed *atomic.Uint64
	free  uint64
	fresh int
	size  int
}

// NewPool returns a pool of size buffers, at most MaxBuffers, all unused. The shared
// word is 0.
func NewPool(freed *atomic.Uint64, size int) Pool {
	return Pool{freed: freed, size: min(size, MaxBuffers)}
}

// Take returns the number of a buffer that is now the caller's; ok is false if all
// are taken.
func (p *Pool) Take() (i int, ok bool) {
	if p.free == 0 && !p.refill() {
		return 0, false
	}
	i = bits.TrailingZeros64(p.free)
	p.free &= p.free - 1
	return i, true
}

// Put takes a buffer back that Take gave out and the receiver has not heard of.
func (p *Pool) Put(i int) { p.free |= 1 << i }

// refill gets free buffers from the shared word or from the unused ones.
func (p *Pool) refill() bool {
	if p.fresh >= initialBuffers || p.fresh == p.size {
		if p.free = p.freed.Swap(0); p.free != 0 {
			return true
		}
	}
	more := min(initialBuffers, p.size-p.fresh)
	p.free = (1<<more - 1) << p.fresh
	p.fresh += more
	return more > 0
}
