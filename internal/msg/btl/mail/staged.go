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
// See overtake for a sender that computes.

const (
	// A staged message is packed in eighths, of at least leastStaged bytes and at most a block,
	// so that both CPUs soon have something to do.
	leastStaged = 8 << 10 // bytes
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
