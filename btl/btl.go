package btl

import "errors"

// HugePage is the size from which Alloc aligns to it, in bytes.
const HugePage = 2 << 20

var (
	// ErrClosed means that the module was used after Close.
	ErrClosed = errors.New("module is closed")
	// ErrExhausted means that the rank's room for shared memory is used up.
	ErrExhausted = errors.New("no room left for shared memory")
)

// Module is one rank's access to the memory of all ranks of its job. Every method
// may be called from any goroutine. No method blocks on another rank: whether a
// peer has allocated what is attached here, has filled it, or has gone, is
// between the callers.
type Module interface {
	// Name returns the name of the task model, as in pvasrun --btl.
	Name() string

	// Alloc returns n bytes of this rank's memory that peers can attach, filled
	// with zeros, and where they are: a number to be told to the peers. The memory
	// starts at a multiple of HugePage if n is at least that, else of the page
	// size. It belongs to the caller, is shared with any peer that attaches it, is
	// never moved or collected, and stays until Close. An n of 0 gives an empty
	// slice. The error wraps ErrExhausted if the room is used up, ErrClosed after
	// Close.
	Alloc(n int) (mem []byte, at uint64, err error)

	// Attach returns the n bytes at at of the peer's memory, the same bytes, for
	// reading and writing. at and n lie within one Alloc of the peer or, if
	// Direct, within any memory of it that stays where it is. The peer may be this
	// rank. The slice is valid until Close, also when the peer has closed its
	// module, has ended or was killed: the memory stays until the job ends. An n
	// of 0 gives an empty slice.
	Attach(peer int, at uint64, n int) ([]byte, error)

	// Direct tells whether peers can attach any memory of this rank, by its
	// address, and not only what Alloc returned.
	Direct() bool

	// Close ends the use of the module. The caller no longer uses any slice that
	// came from it. Peers go on using this rank's memory. Closing again is no
	// error.
	Close() error
}
