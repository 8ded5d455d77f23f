package mail

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Between processes the receiver chooses how a message comes over: process_vm_readv copies
// once, and needs no CPU for the sender; the pipeline copies twice, and has two CPUs at
// work. Which of them is faster depends on the kernel and the machine, and on the length. Where
// the kernel takes long to find pages, and a cache line is cheap, the pipeline takes a quarter of
// the time for 8 KiB. Where lines are dear it takes twice the time for 64 KiB. So with
// --single-copy auto:
//
//   - With more ranks than CPUs process_vm_readv is used: the pipeline would wait until the
//     sender has a CPU.
//   - If pvasrun tune has found a length (job.Thresholds.PipelineFrom), the length decides.
//   - Else each rank receives the first few messages of each class of lengths by either way, one at a
//     time, and takes the time. Then the way with the shortest time per byte is kept for that
//     class. A receiver does not wait for a sender that computes: see overtake. After a pause
//     there is another trial, as the first messages of a program may not be like the others. A
//     pause is twice as long as the last one, unless the winner is another.
//   - Messages shorter than trialFrom, which are seldom offered, use process_vm_readv.
//
// Where the kernel refuses process_vm_readv, the pipeline is left.

const (
	trialFrom  = 4 << 10 // bytes
	trialTurns = 8       // messages, half of them by either way
	firstPause = 64      // messages
	longPause  = 4096

	// Lengths of a class are less than twice as long as its shortest; those of the last, which
	// begins at 4 MiB, are as long as they like.
	trialClasses = 11
)

// trials has a trial for each class of lengths.
type trials [trialClasses]trial

// of returns the trial of messages of n bytes, at least trialFrom.
func (r *trials) of(n int) *trial {
	return &r[min(bits.Len(uint(n))-bits.Len(trialFrom), trialClasses-1)]
}

// trial finds out by which way a rank receives messages of a class.
type trial struct {
	winner way // of the last trial
	pause  int // messages from that trial to the next one; 0 before the first
	left   int // of them

	// Of the trial that is under way, if left is 0:
	turn int
	busy bool      // a message is on trial
	best [2]uint64 // shortest time, in ns for 2^20 bytes: of wayPiped and wayCMA
}

// choose chooses the way of a transfer between processes.
func (t *recvTransfer) choose() way {
	b := t.box
	works, known := b.root.CMA()
	switch {
	case t.typed || t.dst.Layout != nil:
		return wayPiped // process_vm_readv takes a system call for a few pieces
	case b.singleCopy == job.SingleCopyCMA:
		return wayCMA
	case b.singleCopy == job.SingleCopyNone || known && !works || !job.Knows(b.root, b.rank, t.peer.rank):
		return wayPiped
	case !b.sharing.help:
		return wayCMA
	case b.piped == 0 && t.take >= trialFrom:
		return b.trials.of(t.take).choose(t)
	case b.piped == 0 || t.take < b.piped:
		return wayCMA
	}
	return wayPiped
}

// choose is choose for a message that may be on trial.
func (r *trial) choose(t *recvTransfer) way {
	switch {
	case r.left > 0:
		r.left--
	case !r.busy:
		r.busy, t.began = true, sys.Monotonic()
		return r.way()
	}
	if r.pause == 0 {
		return wayCMA
	}
	return r.winner
}

// way is that of the turn.
func (r *trial) way() way {
	if r.turn >= trialTurns/2 {
		return wayPiped
	}
	return wayCMA
}

// first tells whether the message before was not on trial, or came by the other way. Its time says
// little: it may touch memory for the first time. Or its blocks have left the receiver's cache. Those
// that are used again and again take two to three times as long.
func (r *trial) first() bool { return r.turn%(trialTurns/2) == 0 }

// over ends the turn of a message that was on trial.
func (r *trial) over(t *recvTransfer, failed bool) {
	r.busy = false
	if failed {
		return
	}
	best := &r.best[r.way()-wayPiped] // one that has overtaken is still a turn of the pipeline
	if took := uint64(sys.Monotonic()-t.began) << 20 / uint64(t.take); !r.first() && (*best == 0 || took < *best) {
		*best = took
	}
	if r.turn++; r.turn == trialTurns {
		r.decide()
	}
}

// decide ends a trial.
func (r *trial) decide() {
	winner := wayCMA
	if r.best[0] < r.best[1] {
		winner = wayPiped
	}
	pause := firstPause
	if winner == r.winner {
		pause = min(2*r.pause, longPause)
	}
	*r = trial{winner: winner, pause: pause, left: pause}
}
