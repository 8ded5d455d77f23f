package mail

import "github.com/gopvas/gopvas/internal/node/job"

// Overtaking
//
// A receiver does not wait for long for a sender that computes. If it finds no new bytes of any
// message of the sender for many looks it goes on by itself, from the first byte that it has not.
// It no longer looks at filled then. A sender that fills a block meanwhile writes to memory of its
// own, which stays until the receiver is done. A receiver that sleeps does not look, nor does one
// overtake by process_vm_readv before that is known to work.
//
// A staged message goes on as a direct one:
//
//	receiver                                  sender
//	take, place, dst, cursor, copied          in phasePiped: fills blocks
//	state = phaseShared                       in phaseShared: copies parts, as in helpOut
//
// Any other goes on by process_vm_readv, of which the sender learns by phaseRead.

const (
	// stagedPatience is how often the receiver of a staged message looks for new bytes in vain,
	// at most. It takes longer than to pack a part.
	stagedPatience = 1000

	// readPatience is the same for any other message. It takes longer than to fill a block.
	readPatience = 250
)

// overtake lets the receiver go on without the sender if it has looked for new bytes for long
// enough. It tells whether it does.
func (t *recvTransfer) overtake() bool {
	if t.seen != t.peer.blocks { // the sender is at work, if on another message
		t.seen, t.waited = t.peer.blocks, 0
	}
	t.waited++
	switch {
	case t.staged && t.waited >= t.box.patience:
		t.share(t.pos)
	case !t.staged && t.waited >= readPatience && t.mayRead():
		t.way = wayCMA
	default:
		return false
	}
	return true
}

// mayRead tells whether process_vm_readv is known to work for the transfer.
func (t *recvTransfer) mayRead() bool {
	works, known := t.box.root.CMA()
	permitted := works && known && t.box.singleCopy != job.SingleCopyNone
	return permitted && job.Knows(t.box.root, t.box.rank, t.peer.rank) && !t.typed && t.dst.Layout == nil
}
