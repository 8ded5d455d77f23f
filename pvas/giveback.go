package pvas

import (
	"cmp"
	"errors"
	"fmt"
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
// Nothing tells whose memory an area outside the partitions is. But Go reserves its heap by arenas, each of which
// begins at a multiple of its size, one behind the other, at a place by chance. So from an address in it GiveBack takes
// the areas without a file that border on one another. They are the heap and nothing else if they begin and end as
// arenas do, and hold no other heap and no partition. What the kernel places borders on an area above it. If it
// bordered on the heap as well, there would be no hole behind the heap, but what it borders on above, up to the
// partitions or a file. In doubt the memory stays.
func (s *Space) GiveBack(ended []Remains, other []uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return ErrDestroyed
	}
	mapped, err := runs()
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

// run is areas of this process that border on one another.
type run struct {
	Range
	plain bool // all are private, and have no file
}

// runs returns those of this process.
func runs() (list []run, err error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	return list, areas.Read(maps, func(a areas.Area) {
		if last := len(list) - 1; last < 0 || list[last].End != a.Start {
			list = append(list, run{Range{a.Start, a.Start}, true})
		}
		r := &list[len(list)-1]
		r.End, r.plain = a.End, r.plain && a.Path == "" && !a.Shared()
	})
}

// heapArena is the size of an arena of Go's heap.
const heapArena = 64 << 20

// heapOf returns the heap that an address lies in, an empty range if it is not certain.
func heapOf(mapped []run, at uint64, other []uint64) Range {
	i, _ := slices.BinarySearchFunc(mapped, at, func(r run, at uint64) int { return cmp.Compare(r.End, at+1) })
	if i == len(mapped) {
		return Range{}
	}
	r := mapped[i]
	foreign := slices.ContainsFunc(other, func(o uint64) bool { return o >= r.Start && o < r.End })
	if at < r.Start || !r.plain || r.Start%heapArena != 0 || r.End%heapArena != 0 || foreign {
		return Range{}
	}
	return r.Range
}
