package lock

import (
	"math/bits"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

const cacheLine = 64

// Words are the shared words of a window, as a rank sees them; see doc.go. They begin as zeros. Behind the stripes lies
// a bit for each rank (asleepBits).
type Words struct {
	head    *head // this and what follows, to me, is read by the face for C, too
	records []record
	stripes []Stripe // a power of two
	me      int

	own *comm.Comm // whose ranks share the words
}

type head struct {
	everyone atomic.Int64
	_        [cacheLine - 8]byte
	sleepers atomic.Int32
	_        [cacheLine - 4]byte
}

// record is what concerns one rank: first as a target, then as an origin.
type record struct {
	lock  atomic.Uint64
	_     [cacheLine - 8]byte
	held  atomic.Int64
	waits atomic.Int32
	_     [cacheLine - 12]byte
}

// Stripe is the lock of a stripe of memory; see stripe.go.
type Stripe struct {
	holder  atomic.Uint32 // rank, from 1; 0: nobody
	_       [cacheLine - 4]byte
	singles atomic.Uint64 // the parts of the stripe whose words are changed by instructions
	_       [cacheLine - 8]byte
}

const (
	headSize   = 2 * cacheLine
	recordSize = 2 * cacheLine
	stripeSize = 2 * cacheLine
	bitsOfWord = 64

	// There are so many stripes for each rank, so that two ranks seldom meet by accident, within these bounds.
	stripesOfRank = 4
	fewestStripes = 64
	mostStripes   = 1024
)

// stripesFor is how many stripes so many ranks have.
func stripesFor(ranks int) int {
	stripes := min(max(ranks*stripesOfRank, fewestStripes), mostStripes)
	return 1 << bits.Len(uint(stripes-1))
}

// bitsSize is the bytes of a bit for each rank.
func bitsSize(ranks int) int { return (ranks + 8*cacheLine - 1) / (8 * cacheLine) * cacheLine }

// Size is the bytes of the words of so many ranks: whole cache lines.
func Size(ranks int) int {
	return headSize + ranks*recordSize + stripesFor(ranks)*stripeSize + bitsSize(ranks)
}
