package mail

import (
	"fmt"
	"math/bits"
)

// Eager buffers
//
// A pair has a row of equal buffers in memory of the sender, which takes one for each eager message
// (shm.Pool). With many ranks on the node the row is one buffer. Buffers of the eager limit would be most
// of the memory of such a job. So the only buffer is as long as the longest message so far needs, and
// short buffers share pages with those of other pairs.
//
// For a longer message the sender allocates another buffer. It does so while it has the only one, so
// the receiver reads none of the old memory any more. The old one is not used again: all that a pair has
// had is some twice the last one. Each eager message tells the place of its row. No row is at place 0,
// where the mailbox is, or nothing.

const (
	leastBuffer = 4 * cacheLine // bytes of the shortest buffer
	rowPiece    = 64 << 10      // bytes of which short rows are cut
)

// eagerBuffers is the row of a pair, as one end sees it.
type eagerBuffers struct {
	bytes  []byte
	stride uint32 // bytes of each; 0 before first use
	at     uint64 // where they lie in the sender's memory
}

// payload returns the first n bytes of a buffer.
func (e *eagerBuffers) payload(i, n int) []byte {
	from := i * int(e.stride)
	return e.bytes[from : from+n : from+n]
}

// takeBuffer takes a buffer for n bytes to the peer. Without room for buffers there are
// no eager messages, and the caller offers them.
func (b *Box) takeBuffer(p *peer, n int) (i int, ok bool) {
	if i, ok = p.account.Take(); !ok && len(b.fallenBack) > 0 {
		b.reap()
		i, ok = p.account.Take()
	}
	if ok && n > int(p.buffers.stride) && !b.makeBuffers(p, n) {
		p.account.Put(i)
		return 0, false
	}
	return i, ok
}

// makeBuffers allocates the pair's buffers for messages of n bytes.
func (b *Box) makeBuffers(p *peer, n int) bool {
	stride := b.bufferSize
	if b.buffers == 1 {
		stride = min(stride, max(leastBuffer, 1<<bits.Len(uint(n-1))))
	}
	mem, at, err := b.room(b.buffers * stride)
	if err != nil {
		return false
	}
	p.buffers = eagerBuffers{bytes: mem, stride: uint32(stride), at: at}
	return true
}

// room allocates n bytes for the buffers of a pair. Between processes each allocation is a mapping, so
// short rows are cut from a longer piece.
func (b *Box) room(n int) (mem []byte, at uint64, err error) {
	if 4*n > rowPiece {
		return b.mem.Alloc(n)
	}
	if n > len(b.rest) {
		if b.rest, b.restAt, err = b.mem.Alloc(rowPiece); err != nil {
			return nil, 0, err
		}
	}
	mem, at = b.rest[:n:n], b.restAt
	b.rest, b.restAt = b.rest[n:], b.restAt+uint64(n)
	return mem, at, nil
}

// attachBuffers attaches the buffers of a peer for this rank.
func (b *Box) attachBuffers(p *peer, at uint64, stride uint32) error {
	mem, err := b.mem.Attach(p.rank, at, b.buffers*int(stride))
	if err != nil {
		return fmt.Errorf("eager buffers: %w", err)
	}
	p.theirBuffers = eagerBuffers{bytes: mem, stride: stride, at: at}
	return nil
}
