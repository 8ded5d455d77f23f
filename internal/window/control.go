package window

import (
	"math/bits"
	"sync/atomic"
)

const cacheLine = 64

// control is what the ranks of a window share beside its memory; see doc.go. It begins as zeros. Behind it lie a bit
// for each rank (asleepBits), and Window.attached and Window.accessed, if the window has them.
type control struct {
	head    *head
	records []record // by rank
	stripes []stripe // a power of two
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

type stripe struct {
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

// shape is how many parts a control block has.
type shape struct{ ranks, stripes, attached, accessed int }

func shapeOf(ranks int, checked bool) shape {
	stripes := min(max(ranks*stripesOfRank, fewestStripes), mostStripes)
	s := shape{ranks: ranks, stripes: 1 << bits.Len(uint(stripes-1))}
	if checked {
		s.accessed = ranks
	}
	return s
}

// bitsSize is the bytes of a bit for each rank.
func bitsSize(ranks int) int { return (ranks + 8*cacheLine - 1) / (8 * cacheLine) * cacheLine }

// size is the bytes of a control block.
func (s *shape) size() int {
	return headSize + s.ranks*recordSize + s.stripes*stripeSize + bitsSize(s.ranks) +
		s.attached*regionsSize + s.accessed*accessesSize
}
