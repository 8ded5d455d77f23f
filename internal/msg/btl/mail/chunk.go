package mail

import (
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/node/job"
)

// A shared transfer is cut into chunks, which its two ends claim: the end of the lower rank from the front, the other
// from the back. So each of two ranks copies the same chunks of a buffer, whichever of them sends. The lines of a
// buffer that is used again, or sent back, stay in the cache of the CPU that copies them.
//
// cursor counts the claims: those from the front in its low half, those from the back in its high half. A claim is
// one addition, so claims have an order. As many claims as there are chunks hold one each. If f of them are from the
// front and b from the back, then f+b is at most the number of chunks. So the first f chunks are not among the last b.
// All later claims are empty.

// Sizes of what one call copies. A chunk of a shared transfer is a half of it within these
// bounds, with a layout a quarter. It makes up for the claim, which moves a cache line. The ends get done at about the
// same time.
const (
	minChunk = 16 << 10  // bytes
	maxChunk = 128 << 10 // bytes

	// A buffer with a layout takes longer for each byte, by so much about.
	typedCost = 8
)

// sharing is which transfers both ends copy.
type sharing struct {
	least int // bytes of those: job.Thresholds.ShareFrom
	help  bool
	near  *numa.Memory // into which a sender helps
}

func shares(root *job.Root, rank int) sharing {
	return sharing{
		least: root.Settings().ShareFrom, near: numa.Of(root, rank),
		// With more ranks than CPUs a helper may lose its CPU in the middle of a part
		// that then keeps the receiver waiting.
		help: !root.Oversubscribed(),
	}
}

// from is the length from which both ends copy. Shorter transfers are copied by the
// receiver, in Accept.
func (s *sharing) from(typed bool) int {
	if typed {
		return s.least / typedCost
	}
	return s.least
}

// cut is how a shared transfer is cut into chunks. Both ends know the same.
type cut struct {
	take   uint64 // bytes of all chunks
	typed  bool   // one of the buffers has a layout
	staged bool   // some of it was received in order: its chunks are ranges
}

// size returns the size of the chunks: all but the last have as many bytes.
func (c cut) size() uint64 {
	size := min(max(c.take/2, minChunk), maxChunk)
	if c.typed {
		size = min(max(c.take/4, minChunk/typedCost), maxChunk/2)
	}
	return (size + cacheLine - 1) &^ (cacheLine - 1)
}

// chunks returns how many there are.
func (c cut) chunks() uint64 { return (c.take + c.size() - 1) / c.size() }

// chunk is what one end copies in one go: a range of the message, or, between layouts, as
// much of it in another place (datatype.CopyPart).
type chunk struct {
	from, to    uint64
	take        uint64 // bytes of all chunks
	part, parts int64  // parts is 0 if the chunk is the range
}

// chunk returns the chunk of a number.
func (c cut) chunk(n uint64) chunk {
	k := chunk{from: n * c.size(), to: min((n+1)*c.size(), c.take), take: c.take}
	if c.typed && !c.staged {
		k.part, k.parts = int64(n), int64(c.chunks())
	}
	return k
}

// claims is what cursor holds.
type claims uint64

const (
	fromFront claims = 1
	fromBack  claims = 1 << 32
)

func (c claims) front() uint64 { return uint64(c % fromBack) }
func (c claims) back() uint64  { return uint64(c / fromBack) }
func (c claims) all() uint64   { return c.front() + c.back() }

// claim claims a chunk for the caller to copy; it is empty if there is none left. It looks first: that spares the
// line a useless writing.
func (d *descriptor) claim(front bool, c cut) chunk {
	chunks := c.chunks()
	if claims(d.cursor.Load()).all() >= chunks {
		return chunk{}
	}
	end := fromBack
	if front {
		end = fromFront
	}
	switch now := claims(d.cursor.Add(uint64(end))); {
	case now.all() > chunks:
		return chunk{}
	case front:
		return c.chunk(now.front() - 1)
	default:
		return c.chunk(chunks - now.back())
	}
}
