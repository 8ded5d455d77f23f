package pvas

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Remains is a task that has ended, whose memory nobody reads any more.
type Remains struct {
	Task *Task
	Heap uint64 // an address in the heap of its Go runtime; 0: it has none, or it is not known
}

// GiveBack gives the private memory of tasks that have ended back to the system: their stacks, programs and heaps of
// Go. It stays mapped and reads as zeros, or as the program's file. Their small regions and arenas, which others may
// use, stay as they are, and so does what they have mapped elsewhere. other are addresses in the heaps of all other Go
// runtimes of this process that are known.
//
// # Whose a heap is
//
// Nothing tells whose memory an area outside the partitions is. But Go reserves its heap by arenas, at a random place.
// Each begins at a multiple of its size, behind the one before, which is then in use up to its end. So where two arenas
// of a heap meet both are in use. From an address in the heap GiveBack takes the areas without a file that border on
// one another, up to a multiple of the size at which one side is not in use. They are the heap if they begin and end as
// arenas do, and hold no other known heap and no partition. Else the memory stays.
//
// One case is left: the last page of a heap is in use, and behind it begins memory that another task uses, which ends
// at a multiple of the size; or likewise before the first page. A heap would have to lie there by chance, at one of two
// million places.
func (s *Space) GiveBack(ended []Remains, other []uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return ErrDestroyed
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("pvas: give back: %w", err)
	}
	defer maps.Close()
	mapped, err := runs(maps)
	if err != nil {
		return fmt.Errorf("pvas: give back: %w", err)
	}
	for i, r := range ended {
		l := &r.Task.layout
		list := []Range{l.Stack, {l.SmallRegion.End, l.Arena.Start}}
		others := append(slices.Clone(other), s.reserved.Start)
		for j := range ended {
			if j != i {
				others = append(others, ended[j].Heap)
			}
		}
		if heap := heapOf(mapped, r.Heap, others); heap.Len() > 0 {
			list = append(list, heap)
		}
		for _, at := range list {
			err = errors.Join(err, drop(at))
		}
	}
	if err != nil {
		return fmt.Errorf("pvas: give back: %w", err)
	}
	return nil
}

// drop gives memory back. What is locked stays.
func drop(r Range) error {
	err := sys.Madvise(uintptr(r.Start), uintptr(r.Len()), sys.MadvDontNeed)
	if errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// run is areas that border on one another.
type run struct {
	Range
	plain bool // all are private, and have no file
}

// runs returns those of a process. They are cut at multiples of heapArena where one side is not in use.
func runs(maps io.Reader) (list []run, err error) {
	used := false // the last area
	err = areas.Read(maps, func(a areas.Area) {
		plain, uses := a.Path == "" && !a.Shared(), a.Access[0] == 'r'
		add := func(start, end uint64) {
			if start >= end {
				return
			}
			last := len(list) - 1
			cut := start%heapArena == 0 && !(used && uses)
			if last < 0 || list[last].End != start || cut {
				list = append(list, run{Range{start, end}, plain})
				return
			}
			list[last].End, list[last].plain = end, list[last].plain && plain
		}
		low, high := (a.Start+heapArena-1)/heapArena*heapArena, a.End/heapArena*heapArena
		if uses || low > high {
			add(a.Start, a.End)
		} else {
			add(a.Start, low)
			add(low, high)
			add(high, a.End)
		}
		used = uses
	})
	return list, err
}

// heapArena is the size of an arena of Go's heap.
const heapArena = 64 << 20

// heapOf returns the heap that an address lies in, an empty range if it is not certain.
func heapOf(mapped []run, at uint64, other []uint64) Range {
	i := slices.IndexFunc(mapped, func(r run) bool { return at >= r.Start && at < r.End })
	if i < 0 {
		return Range{}
	}
	r := mapped[i]
	foreign := slices.ContainsFunc(other, func(o uint64) bool { return o >= r.Start && o < r.End })
	if !r.plain || r.Start%heapArena != 0 || r.End%heapArena != 0 || foreign {
		return Range{}
	}
	return r.Range
}
