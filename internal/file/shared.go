package file

import (
	"errors"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/comm"
)

// shared is memory that all ranks of a file on one node have in common: the shared pointer, and the counter by which
// ranks claim domains of collective calls. It is the window of the first rank. Nobody else has to do anything for an
// access, and nothing of it is left in the file system.
type shared struct {
	window *comm.Window
	words  []byte // pointer, claims
	base   int64  // claims of the collective calls before
}

const (
	pointerWord = 0
	claimsWord  = 64 // in a cache line of its own
	sharedBytes = 128
)

// share makes the shared memory. It is collective.
func (f *File) share() error {
	bytes := 0
	if f.ranks.Rank() == 0 {
		bytes = sharedBytes
	}
	w, err := comm.WinAllocateShared(f.ranks, bytes, 1, nil)
	if errors.Is(err, comm.ErrSeveralNodes) {
		return nil
	}
	if err != nil {
		return err
	}
	f.shared = &shared{window: w}
	f.shared.words, err = w.Segment(0)
	return f.agree(err)
}

func (s *shared) pointer() *atomic.Int64 { return wordAt(s.words, pointerWord) }

func (s *shared) claims() *atomic.Int64 { return wordAt(s.words, claimsWord) }

// free gives the memory back. It is collective.
func (s *shared) free() error { return s.window.Free() }
