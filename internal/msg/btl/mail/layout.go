package mail

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

const (
	cacheLine = 64

	ringSlots   = 256 // messages that a rank can have waiting, 32 KiB
	descriptors = 128 // of a chunk: so many transfers are made at a time, as they are needed

	// creditLimit bounds the messages that a receiver holds of one sender. pairBytes bounds
	// the memory of their eager buffers, and rankBytes that of the buffers for all receivers:
	// with many ranks a pair has few buffers, but at least one.
	creditLimit = 256
	pairBytes   = 256 << 10
	rankBytes   = 1 << 20

	// The pipeline: lanes of so many blocks, a lane for each transfer at work.
	lanes      = 8
	laneBlocks = 4

	// InlineLimit is the longest payload that travels in a ring slot, in bytes.
	InlineLimit = shm.SlotBody - btl.HeaderSize
)

// shortOffer is the longest message, in bytes, that travels in the descriptor of its offer
// between processes: the receiver then needs nothing of the sender.
const shortOffer = cacheLine - 32 - 24

// What a slot holds: the meta bits of the ring. 0 is no kind.
const (
	kindInline = iota + 1
	kindEager
	kindOffered
	kindTyped  // offered, from a buffer with a layout, which the descriptor tells
	kindStaged // kindTyped, and the first bytes are in staging blocks
)

// message lies over the body of a slot.
type message struct {
	btl.Header
	inline [InlineLimit]byte
}

// offer lies over the inline bytes of a message with kindOffered or kindTyped.
type offer struct {
	addr       uint64 // of the sender's buffer (Buffer.Place), in the sender's address space
	descriptor uint64 // of the sender: generation<<numberBits | number
	chunk      uint64 // where the chunk of the descriptor lies
}

// eager lies over the inline bytes of a message with kindEager.
type eager struct {
	number uint32 // of the buffer
	stride uint32 // bytes from one of the pair's buffers to the next
	at     uint64 // where the first one lies
}

// descriptor is where the two ends of an offered message meet. It lies in the
// sender's mailbox. The sender alone makes it free and gives it to an offer; each
// use has a generation, one higher than that before. The generation is in state, so
// that the words of an earlier use mean nothing to a later one. So the sender need
// not take the receiver's cache line to reset it.
//
//	state of this generation    stored by   what follows
//	(another generation)        -           offered: nobody has accepted it yet
//	phaseShared   direct        receiver    both copy: see chunk.go
//	phasePiped    pipelined     receiver    the sender fills, the receiver drains
//	              or staged                 (phaseShared or phaseRead may follow, see overtake.go)
//	phaseDone                   receiver    the sender frees the descriptor
//	phaseRead     cma           receiver    the same; the sender need not have filled
//
// See fallback.go for how short messages use fallback and taking.
//
// phaseDone is the last thing that the receiver does to a descriptor; before it
// stores that, the bytes are copied. The sender touches neither its buffer's
// ownership nor the descriptor before it has seen it, or knows that the receiver
// has gone.
type descriptor struct {
	// Written by the sender. Reset before the offer is published.
	filled   atomic.Uint64    // pipelined: bytes that are or were in the lane
	lane     atomic.Uint64    // pipelined: number of the lane plus one; 0: none yet. Fallback: stride<<32|buffer
	at       atomic.Uint64    // pipelined: place of all lanes; stored before lane. Fallback: of buffers; 0: of none
	fallback atomic.Uint64    // short: generation of the last fallback; stored after lane
	src      layoutRef        // typed: layout of the buffer
	short    [shortOffer]byte // not direct: the whole message, if it is no longer

	// Written by the receiver; all before state.
	state   atomic.Uint64 // generation<<phaseBits | phase
	take    atomic.Uint64 // bytes that it wants; shared: and typedTake if its buffer has a layout
	place   atomic.Uint64 // shared: its buffer (Buffer.Place)
	drained atomic.Uint64 // pipelined: bytes taken from the lane
	dst     layoutRef     // shared: layout of its buffer, with typedTake
	_       [cacheLine - 32 - 24]byte

	// Written by both ends in phaseShared, reset by the receiver before it.
	cursor atomic.Uint64 // claims of chunks: see claims
	copied atomic.Uint64 // bytes that have been copied

	// Written by the receiver. Not beside state: the sender looks at that all the time.
	taking atomic.Uint64 // short: generation that is being taken
	_      [cacheLine - 24]byte
}

// layoutRef tells a peer the layout of a buffer: where the words of its flat form lie,
// and how many elements there are. They belong to the rank of the buffer, and stay as long as that.
type layoutRef struct {
	words  atomic.Uint64 // address
	length atomic.Uint64 // number of words
	count  atomic.Uint64 // elements
}

const (
	phaseBits   = 8
	phaseShared = 1
	phasePiped  = 2
	phaseDone   = 3
	phaseRead   = 4 // done, by process_vm_readv: the lane was not needed

	numberBits = 24
	typedBit   = 1 << 63 // of btl.Frame.Token: the sender's buffer has a layout
	stagedBit  = 1 << 62 // of btl.Frame.Token: the offer is kindStaged
	typedTake  = 1 << 63 // of descriptor.take: the receiver's buffer has a layout
)

// laneFailed in descriptor.lane: the sender has no memory for staging blocks.
const laneFailed = ^uint64(0)

// geometry is the layout of a mailbox, the same in all ranks of a job.
type geometry struct {
	firstChunk int // offset of the first chunk of descriptors
	pairs      int // offset of the row of shm.Pair, indexed by receiver
	size       int

	eagerLimit int
	bufferSize int // bytes of an eager buffer, at most
	buffers    int // eager buffers of a pair

	block       int // bytes of a staging block
	lane        int // bytes of a lane
	stagingSize int // bytes of all lanes
}

func layout(root *job.Root) geometry {
	t := root.Settings()
	g := geometry{eagerLimit: t.EagerLimit, block: t.RingBlock}
	g.firstChunk = shm.RingSize(ringSlots)
	g.pairs = g.firstChunk + chunkBytes
	g.size = g.pairs + root.Places()*shm.PairSize // the row of ranks that are never started is last, and untouched
	g.bufferSize = (t.EagerLimit + cacheLine - 1) / cacheLine * cacheLine
	g.buffers = min(max(min(pairBytes, rankBytes/max(root.Near(), 1))/g.bufferSize, 1), shm.MaxBuffers)
	g.lane = laneBlocks * g.block
	g.stagingSize = lanes * g.lane
	return g
}
