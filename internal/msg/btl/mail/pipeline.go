package mail

import (
	"fmt"
	"math/bits"
)

// The pipeline moves a message through a lane: laneBlocks staging blocks in the
// sender's segment, used round and round. Byte i of the message lies, in its time,
// at i modulo the lane's size. No copy goes past the end of the lane: what follows belongs to
// another transfer. The sender writes filled, the receiver drained, and
//
//	drained <= filled <= drained + size of the lane
//
// What lies between the two is the receiver's to read, the rest the sender's to
// write. Each side stores its word after the copying and notifies the other.
//
// A sender may fill a lane before the receiver has accepted (prefill), which saves
// the latency of a round trip. It does so if the receiver has taken the last long message
// by the pipeline. drained is then still that of an earlier use of the
// descriptor, so the sender takes it for 0 until state has its own generation.
//
// A transfer that is accepted gets a free lane sooner or later: half of the lanes
// are only for such, and they come to an end by themselves as both sides take part.
// Those that wait for a receive that may depend on another message cannot hold
// all the lanes.

// keptLanes is how many lanes prefilling leaves free.
const keptLanes = lanes / 2

// fill copies one block into the lane; false if there is nothing to do now.
func (t *sendTransfer) fill(accepted bool) bool {
	if t.lane == 0 && !t.takeLane(accepted) {
		return false
	}
	limit, drained := t.src.Len(), 0
	if accepted {
		limit = min(limit, int(t.d.take.Load()&^typedTake))
		drained = int(t.d.drained.Load())
	}
	b := t.box
	n := min(b.block, limit-t.filled)
	if t.staged {
		n = min(n, max(t.src.Len()/8, leastStaged), b.lane-t.filled%b.lane)
	}
	if n <= 0 || t.filled+n > drained+b.lane {
		return false
	}
	at := (t.lane-1)*b.lane + t.filled%b.lane
	t.src.Pack(b.staging[at:at+n], t.filled)
	t.filled += n
	t.d.filled.Store(uint64(t.filled))
	b.again()
	t.box.notify(t.peer.inbox)
	return true
}

// takeLane gets a lane for the transfer if one is to be had.
func (t *sendTransfer) takeLane(accepted bool) bool {
	b := t.box
	if b.staging == nil {
		mem, at, err := b.mem.Alloc(b.stagingSize)
		if err != nil {
			if accepted {
				t.d.lane.Store(laneFailed)
				t.box.notify(t.peer.inbox)
			}
			return false
		}
		b.staging, b.stagingAt = mem, at
	}
	if b.freeLane == 0 || !accepted && bits.OnesCount64(b.freeLane) <= keptLanes {
		return false
	}
	i := bits.TrailingZeros64(b.freeLane)
	b.freeLane &= b.freeLane - 1
	t.lane = i + 1
	t.d.at.Store(b.stagingAt)
	t.d.lane.Store(uint64(t.lane))
	return true
}

// drain copies one block out of the lane.
func (t *recvTransfer) drain() (done, moved bool, err error) {
	filled := min(int(t.d.filled.Load()), t.take)
	if filled == t.pos {
		if t.d.lane.Load() == laneFailed {
			t.enter(phaseDone)
			return true, false, fmt.Errorf("receive of %d bytes: rank %d has no room for its staging blocks",
				t.take, t.peer.rank)
		}
		return false, false, nil
	}
	b := t.box
	if t.peer.theirStaging == nil {
		mem, err := b.mem.Attach(t.peer.rank, t.d.at.Load(), b.stagingSize)
		if err != nil {
			t.enter(phaseDone)
			return true, false, fmt.Errorf("receive of %d bytes: staging blocks: %w", t.take, err)
		}
		t.peer.theirStaging = mem
	}
	offset := t.pos % b.lane
	n := min(b.block-offset%b.block, filled-t.pos)
	at := (int(t.d.lane.Load())-1)*b.lane + offset
	t.dst.Unpack(t.peer.theirStaging[at:at+n], t.pos)
	t.pos += n
	t.peer.blocks++
	if t.pos < t.take {
		t.d.drained.Store(uint64(t.pos))
		t.box.notify(t.peer.inbox)
		return false, true, nil
	}
	b.counters.PipelinedCopied++
	b.counters.PipelinedBytes += uint64(t.take)
	t.enter(phaseDone)
	return true, true, nil
}
