package file

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// shared is memory that all ranks of a file on one node have in common. The shared pointer lies there, and the counter
// by which ranks claim domains of collective calls. It is the window of the node's first rank. Nobody else has to
// do anything for an access, and nothing of it is left in the file system.
//
// The shared pointer is that of the first rank's node. Ranks of other nodes ask the first rank.
type shared struct {
	window  *comm.Window
	words   []byte        // pointer, claims
	base    int64         // claims of the collective calls before
	service *comm.Service // of the first rank, for other nodes
}

const (
	pointerWord = 0
	claimsWord  = 64 // in a cache line of its own
	sharedBytes = 128
)

// The tags of messages of a file. askTag is a request, the one after it its reply.
const (
	askTag  = 0
	partTag = 2
)

// share makes the shared memory. It is collective.
func (f *File) share() error {
	f.node = f.ranks
	w, err := f.window()
	if errors.Is(err, comm.ErrSeveralNodes) {
		if f.node, err = f.ranks.SplitType(comm.Shared, f.ranks.Rank()); err == nil {
			comm.BelongsTo(f.node, "")
			w, err = f.window()
		}
	}
	if err != nil {
		return err
	}
	f.shared = &shared{window: w}
	f.shared.words, err = w.Segment(0)
	if err == nil && f.node != f.ranks {
		err = f.shareOverNodes()
	}
	return f.agree(err)
}

// window allocates the memory for the ranks of a node.
func (f *File) window() (*comm.Window, error) {
	bytes := 0
	if f.node.Rank() == 0 {
		bytes = sharedBytes
	}
	return comm.WinAllocateShared(f.node, comm.WinSpec{Bytes: bytes, Unit: 1})
}

// shareOverNodes tells all ranks which rank is on which node.
func (f *File) shareOverNodes() error {
	first, err := f.node.Group().TranslateRanks([]int{0}, f.ranks.Group())
	if err != nil {
		return err
	}
	firsts, err := comm.Tell(f.ranks, f.doing(), int64(first[0]))
	if err != nil {
		return err
	}
	for _, first := range firsts {
		f.nodes = append(f.nodes, int(first))
	}
	return f.serve()
}

// serve has the first rank answer for the shared pointer.
func (f *File) serve() (err error) {
	if f.ranks.Rank() == 0 {
		f.shared.service, err = comm.Serve(f.ranks, askTag, 16, func(request []byte) []byte {
			return number(f.shared.advance(numberIn(request, 0), numberIn(request, 1)))
		})
	}
	return err
}

func (s *shared) pointer() *atomic.Int64 { return wordAt(s.words, pointerWord) }

func (s *shared) claims() *atomic.Int64 { return wordAt(s.words, claimsWord) }

// advance moves the shared pointer on, unless it is behind a place already. It returns where it was.
func (s *shared) advance(bytes, most int64) int64 {
	for {
		at := s.pointer().Load()
		if at > most || s.pointer().CompareAndSwap(at, at+bytes) {
			return at
		}
	}
}

// advance is shared.advance from any node.
func (f *File) advance(bytes, most int64) (int64, error) {
	if f.near(0) {
		return f.shared.advance(bytes, most), nil
	}
	reply := make([]byte, 8)
	err := comm.Ask(f.ranks, 0, askTag, binary.LittleEndian.AppendUint64(number(bytes), uint64(most)), reply)
	return numberIn(reply, 0), err
}

// common is where the shared pointer is.
func (f *File) common() (int64, error) { return f.advance(0, -1) }

// near tells whether a rank is on this one's node.
func (f *File) near(rank int) bool { return f.nodes == nil || f.nodes[rank] == f.nodes[f.ranks.Rank()] }

// free gives all of it back. It is collective: no rank asks for the pointer any more.
func (s *shared) free() error {
	if s.service != nil {
		s.service.End()
	}
	return s.window.Free()
}
