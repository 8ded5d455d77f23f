package mail

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// Between processes the receiver chooses how a message comes over: process_vm_readv copies
// once, and needs no CPU for the sender; the pipeline copies twice, and has two CPUs at
// work. Which of them is faster depends on the kernel and the machine: on one the pipeline
// takes 0.7 of the time for 1 MiB, on another 2.2 times as much. So with --single-copy auto:
//
//   - With more ranks than CPUs process_vm_readv is used: the pipeline would wait until the
//     sender has a CPU.
//   - If pvasrun tune has found a length (job.Thresholds.PipelineFrom), the length decides.
//   - Else messages shorter than trialFrom use it too. The two ends of the pipeline would wait
//     for each other longer than they copy.
//   - Of the longer ones, each rank receives the first few by turns, one at a time, and
//     takes the time. Then the way with the shortest time per byte is kept for good.
//
// Where the kernel refuses process_vm_readv, the pipeline is left.

const (
	trialFrom  = 256 << 10 // bytes
	trialTurns = 8         // messages; the first of each way touch memory, and so are slow
)

// trial finds out by which way a rank receives long messages.
type trial struct {
	class int // only messages of a like length are on trial: bits.Len of it
	turn  int
	busy  bool      // a message is on trial
	best  [2]uint64 // shortest time, in ns for 2^20 bytes: of wayPiped and wayCMA
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
	case b.singleCopy == job.SingleCopyNone || known && !works || b.root.Pid(t.peer.rank) == 0:
		return wayPiped
	case !b.help:
		return wayCMA
	case b.piped == 0 && t.take >= trialFrom:
		return b.trial.choose(t)
	case b.piped == 0 || t.take < b.piped:
		return wayCMA
	}
	return wayPiped
}

// choose is choose for a message that may be on trial.
func (r *trial) choose(t *recvTransfer) way {
	class := bits.Len(uint(t.take))
	if r.class == 0 {
		r.class = class
	}
	if r.turn < trialTurns && (r.busy || class != r.class) {
		return wayCMA
	}
	w := wayCMA
	if r.turn == trialTurns && r.best[0] < r.best[1] || r.turn < trialTurns && r.turn%2 == 1 {
		w = wayPiped
	}
	if r.turn < trialTurns {
		r.busy, t.began = true, sys.Monotonic()
	}
	return w
}

// over ends the turn of a message that was on trial.
func (r *trial) over(t *recvTransfer, failed bool) {
	r.busy = false
	if failed {
		return
	}
	best := &r.best[0]
	if t.way == wayCMA {
		best = &r.best[1]
	}
	if took := uint64(sys.Monotonic()-t.began) << 20 / uint64(t.take); *best == 0 || took < *best {
		*best = took
	}
	r.turn++
}
