package job

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// WorkLevels is the number of priorities of work: 0 is done first.
const WorkLevels = 2

// Work tells the ranks that share an address space which ranks have work that any rank
// can do, and which ranks could do it. A bit stands for all ranks whose number is the bit's
// modulo 64. The words are hints that all ranks write: a rank that sets a bit has made
// its meaning true before, and a rank that clears one looks again afterwards. What they
// mean is said in package coll/cad.
type Work struct {
	Ready   [WorkLevels]atomic.Uint64 // ranks that may have work
	Used    atomic.Uint32             // 0 until a rank has work for the first time, then 1
	_       [cacheLine - 8*WorkLevels - 4]byte
	Resting atomic.Uint64 // ranks that sleep in a wait: to be woken by their inbox
	Helping atomic.Uint64 // ranks with a helper that sleeps: to be woken by Share.Helper
	Polling atomic.Uint64 // ranks that poll in a wait, and so find work by themselves
	_       [cacheLine - 24]byte
}

// Share is a rank's part in the work of all.
type Share struct {
	// Executing is the number of the rank's threads that are executing work. A rank that
	// goes while it is not zero may have left something half done.
	Executing atomic.Uint32
	Helper    shm.Event // the rank's helper sleeps here
	_         [cacheLine - 12]byte
}

// Work returns the words of the job.
func (r *Root) Work() *Work { return &r.head.work }

// Share returns the part of a rank of the job, nil if there is no such rank.
func (r *Root) Share(rank int) *Share {
	b, err := r.rank(rank)
	if err != nil {
		return nil
	}
	return &b.share
}

// PublishGraphs notes the address of the graphs that others may advance. The rank itself
// calls it, once.
func (r *Root) PublishGraphs(rank int, at uint64) {
	r.block(rank).graphs.Store(at)
}

// Graphs returns the address that the rank has published, 0 if none.
func (r *Root) Graphs(rank int) uint64 {
	return r.block(rank).graphs.Load()
}

// SetProgram notes which program a rank runs: ranks with the same number, other than 0,
// have been loaded from the same file, which has not changed in between.
func (r *Root) SetProgram(rank int, program uint32) {
	r.block(rank).program.Store(program)
}

// SameProgram tells whether two ranks are known to run the same program.
func (r *Root) SameProgram(a, b int) bool {
	x, err := r.rank(a)
	if err != nil {
		return false
	}
	y, err := r.rank(b)
	return err == nil && (a == b || x.program.Load() != 0 && x.program.Load() == y.program.Load())
}
