package mail

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Allocator gives out the memory of a rank that its peers can attach. Places are addresses or
// offsets. It keeps the accounts for a module, and checks the arguments of its Alloc and
// Attach. Any goroutine may call these. The module itself makes memory accessible.
type Allocator struct {
	pkg, what  string // the module's package, and what the places lie in: for errors
	rank, size int
	page       uint64
	advice     string // what helps when the memory is used up

	mu     sync.Mutex // guards the rest
	next   uint64     // the first place not given out
	end    uint64
	closed bool
}

// NewAllocator returns an allocator of the places from start to end, for the module of that
// package and a rank of the job. The error of memory that is used up tells what the places lie
// in, and the advice.
func NewAllocator(pkg, what string, root *job.Root, rank int, start, end uint64, advice string) *Allocator {
	return &Allocator{
		pkg: pkg, what: what, rank: rank, size: root.Places(), page: uint64(root.PageSize()),
		advice: advice, next: start, end: end,
	}
}

var errNegative = errors.New("length is negative")

// Alloc does btl.Memory's Alloc. open makes the places from start to start+length
// accessible, which are whole pages, and start is a multiple of align; from is the first
// place that was not accessible before. If it returns an error nothing is given out. It is
// called by one goroutine at a time.
func (r *Allocator) Alloc(n int,
	open func(from, start, length, align uint64) ([]byte, error)) (mem []byte, at uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return nil, 0, fmt.Errorf("%s: allocate %d bytes: %w", r.pkg, n, btl.ErrClosed)
	case n < 0:
		return nil, 0, fmt.Errorf("%s: allocate %d bytes: %w", r.pkg, n, errNegative)
	case n == 0:
		return []byte{}, 0, nil
	}
	align := r.page
	if n >= btl.HugePage {
		align = btl.HugePage
	}
	// None of these sums can wrap: places end far below 2^63.
	start, length := roundUp(r.next, align), roundUp(uint64(n), r.page)
	if start+length > r.end {
		return nil, 0, fmt.Errorf("%s: allocate %d bytes: %w: %d bytes left in the %s of rank %d%s",
			r.pkg, n, btl.ErrExhausted, r.end-r.next, r.what, r.rank, r.advice)
	}
	mem, err = open(r.next, start, length, align)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: allocate %d bytes: %w", r.pkg, n, err)
	}
	r.next = start + length
	return mem[:n:n], start, nil
}

// Attach does btl.Memory's Attach. view returns the n bytes, and is called by one
// goroutine at a time.
func (r *Allocator) Attach(peer, n int, view func() ([]byte, error)) (mem []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		err = btl.ErrClosed
	case peer < 0 || peer >= r.size:
		return nil, fmt.Errorf("%s: attach: %w", r.pkg, &fault.RankError{Rank: peer, Size: r.size})
	case n < 0:
		err = errNegative
	case n == 0:
		return []byte{}, nil
	default:
		mem, err = view()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: attach %d bytes of rank %d: %w", r.pkg, n, peer, err)
	}
	return mem, nil
}

// Close ends the use of the allocator. It returns false if that had ended before.
func (r *Allocator) Close() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.closed
	r.closed = true
	return first
}

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }
