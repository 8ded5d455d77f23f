package mail

// Staged offers
//
// A thin layout (datatype.Layout.Thin) has few bytes in each of its cache lines. To copy
// from it directly moves all of these lines from CPU to CPU. So in one address space, too,
// the sender packs such a message into staging blocks, and the receiver unpacks from them:
// see pipeline.go. Each CPU then touches the lines of its own rank only.
//
// The sender packs the first part before it publishes the offer. The offer says so, and the
// receiver answers with phasePiped.
//
// A receiver must not depend on a sender that computes. If it finds no new bytes for a while
// it goes on by itself, from the first byte that it has not:
//
//	receiver                                  sender
//	take, place, dst, cursor, copied          in phasePiped: fills blocks
//	state = phaseShared                       in phaseShared: copies parts, as in helpOut
//
// The receiver no longer looks at filled then. A sender that fills a block meanwhile writes
// to memory of its own, which stays until phaseDone.

const (
	// A staged message is packed in eighths, of at least leastStaged bytes and at most a block,
	// so that both CPUs soon have something to do.
	leastStaged = 8 << 10 // bytes

	// stagedPatience is how often a receiver looks for new bytes in vain, at most. It takes
	// longer than to pack a part.
	stagedPatience = 1000
)

// stage packs the first part of a message that is to be staged. It tells whether the message is.
func (t *sendTransfer) stage() bool {
	b := t.box
	if b.patience == 0 || t.src.Len() <= b.eagerLimit || !t.src.Layout.Thin() {
		return false
	}
	t.staged, t.filled = true, 0
	t.d.filled.Store(0)
	t.d.lane.Store(0)
	return t.fill(false)
}

// overtake has the receiver of a staged message, which has found no new bytes, go on without
// the sender if it has waited long enough. It tells whether it does.
func (t *recvTransfer) overtake() bool {
	if t.waited++; !t.staged || t.waited < t.box.patience {
		return false
	}
	t.share(t.pos)
	return true
}
