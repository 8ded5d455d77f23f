package regions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gopvas/gopvas/datatype"
)

// Causes of errors.
var (
	ErrRange  = errors.New("outside of the memory of the target")
	ErrAttach = errors.New("the memory cannot be attached")
	ErrDetach = errors.New("the memory is not attached: pass the address that was given to attach")
)

// Table is what the ranks of a node have attached to a window.
type Table struct {
	all  []regions // by rank of the node
	rank int       // this one

	mu   sync.Mutex
	mine []region // what this rank has attached, by address
}

// firstPage is never mapped.
const firstPage = 4096

// Attach adds memory of this rank. Its place is told to others by its address.
func (t *Table) Attach(base uintptr, bytes int) error {
	r := region{base, bytes}
	if bytes > 0 && (base < firstPage || r.end() < base) {
		return fmt.Errorf("%w: %d bytes at %#x", ErrAttach, bytes, base)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, other := range t.mine {
		if r.base < other.end() && other.base < r.end() && min(r.bytes, other.bytes) > 0 {
			return fmt.Errorf("%w: it overlaps %d bytes at %#x, which are attached: detach them first", ErrAttach,
				other.bytes, other.base)
		}
	}
	t.mine = insert(t.mine, r)
	t.all[t.rank].tell(t.mine)
	return nil
}

// Detach takes memory of this rank away. No rank accesses it any more.
func (t *Table) Detach(base uintptr) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.mine, func(r region) bool { return r.base == base })
	if i < 0 {
		return ErrDetach
	}
	t.mine = slices.Delete(t.mine, i, i+1)
	t.all[t.rank].tell(t.mine)
	return nil
}

// Check returns an error unless all memory of a rank from lo to hi is attached.
func (t *Table) Check(rank int, lo, hi uint64) error {
	if t.all[rank].have(lo, hi) {
		return nil
	}
	return fmt.Errorf("%w: not all of %#x to %#x is attached to the window there", ErrRange, lo, hi-1)
}

// CheckPieces is Check for the pieces of a layout, of so many bytes, from an address on.
func (t *Table) CheckPieces(rank int, l *datatype.Layout, at uintptr, bytes int) error {
	var list [64]datatype.Segment
	for done := int64(0); done < int64(bytes); {
		n, _ := datatype.Segments(list[:], l, at, done)
		for _, s := range list[:n] {
			if err := t.Check(rank, uint64(s.Addr), uint64(s.Addr)+uint64(s.Len)); err != nil {
				return err
			}
			done += int64(s.Len)
		}
	}
	return nil
}

// insert keeps regions in the order of their addresses; those without bytes come first.
func insert(list []region, r region) []region {
	i, _ := slices.BinarySearchFunc(list, r, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.bytes, b.bytes))
	})
	return slices.Insert(list, i, r)
}
