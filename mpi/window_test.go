package mpi

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// windowsOnASplit has many windows at a time on a communicator of other ranks, frees
// them, and finds zeros in the memory of later ones.
func windowsOnASplit(c *Comm) error {
	s, err := c.Split(c.Rank()%2, -c.Rank())
	if err != nil {
		return err
	}
	for round := range 3 {
		var wins []*Window[int32]
		for k := range 40 {
			w, err := WinAllocateShared[int32](s, 10*s.Rank()+k)
			if err != nil {
				return fmt.Errorf("window %d: %w", k, err)
			}
			if slices.ContainsFunc(w.Local(), func(v int32) bool { return v != 0 }) {
				return fmt.Errorf("round %d: window %d does not begin with zeros", round, k)
			}
			for i := range w.Local() {
				w.Local()[i] = int32(100*s.Rank() + k)
			}
			wins = append(wins, w)
		}
		if err := s.Barrier(); err != nil {
			return err
		}
		for k, w := range wins {
			for peer := range s.Size() {
				mem, err := w.Segment(peer)
				if err := first(err, want("length", len(mem), 10*peer+k)); err != nil {
					return err
				}
				for _, v := range mem {
					if v != int32(100*peer+k) {
						return fmt.Errorf("window %d of rank %d has %d", k, peer, v)
					}
				}
			}
		}
		for _, w := range wins {
			_, free := w.Free(), w.Free()
			_, segment := w.Segment(0)
			if err := first(wantIs("second free", free, ErrWindowFreed),
				wantIs("segment", segment, ErrWindowFreed)); err != nil {
				return err
			}
		}
	}
	return s.Free()
}

// TestNoWindow: a nil or zero window has no memory and panics in no call.
func TestNoWindow(t *testing.T) {
	for _, w := range []*Window[int64]{nil, {}} {
		require.Empty(t, w.Local())
		require.Empty(t, w.All())
		_, err := w.Segment(0)
		require.ErrorContains(t, err, "mpi: segment of window: no such window")
		require.ErrorContains(t, w.Free(), "mpi: free window: no such window")
	}
}

// contiguousWindows: what a rank has begins where that of the rank before ends, also if
// that is nothing.
func contiguousWindows(c *Comm) error {
	length := func(rank int) int { return rank % 3 * 1000 }
	for range 2 { // the second one uses the memory again
		w, err := WinAllocateContiguous[int64](c, length(c.Rank()))
		if err != nil {
			return err
		}
		for i := range w.Local() {
			w.Local()[i] += int64(c.Rank()<<16 + i) // to zeros
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		at := 0
		for rank := range c.Size() {
			mem, err := w.Segment(rank)
			if err := first(err, want("length", len(mem), length(rank))); err != nil {
				return err
			}
			for i, v := range mem {
				if err := first(want("element", v, int64(rank<<16+i)), want("of all", w.All()[at+i], v)); err != nil {
					return err
				}
			}
			at += len(mem)
		}
		if err := first(want("all", len(w.All()), at), w.Free()); err != nil {
			return err
		}
	}
	n := 5
	if c.Rank() == c.Size()-1 {
		n = -1
	}
	_, err := WinAllocateContiguous[int64](c, n)
	if err == nil {
		return errors.New("a negative length is no error")
	}
	return c.Barrier()
}

// windowsOfOtherTypes: that the sizes of elements differ is an error for all, and harms
// nothing.
func windowsOfOtherTypes(c *Comm) error {
	if c.Size() == 1 {
		return nil
	}
	var err error
	if c.Rank() == 0 {
		_, err = WinAllocateShared[int64](c, 3)
	} else {
		_, err = WinAllocateShared[int16](c, 3)
	}
	var errs [3]error
	says := "rank 1 could not provide its memory"
	if c.Rank() == 1 { // whose peers do not wait for it
		says = "elements of type *int"
		_, errs[0] = WinAllocateShared[*int](c, 3)
		_, errs[1] = WinAllocateContiguous[*int](c, 3)
		_, errs[2] = WinCreate(c, make([]*int, 3))
	} else {
		_, errs[0] = WinAllocateShared[int](c, 3)
		_, errs[1] = WinAllocateContiguous[int](c, 3)
		_, errs[2] = WinCreate(c, make([]int, 3))
	}
	if !c.OneAddressSpace() {
		errs[2] = errs[1] // no rank waits for others
	}
	for _, err := range errs {
		if err := wantContains(err, says); err != nil {
			return err
		}
	}
	_, bad := WinAllocateShared[string](c, 3)
	_, typeErr := errors.AsType[*TypeError](bad)
	return first(wantContains(err, "all ranks give the same type"), want("type error", typeErr, true), c.Barrier())
}

// Calls on the windows of a delayed rank wait, as those of package mpitest do.
func TestWindowsAreDelayed(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		comm.Delay(c.inner(), 1)
		w, err := WinAllocateShared[int](c, 1)
		if err != nil {
			return err
		}
		require.NotNil(t, w.before)
		calls := 0
		w.before = func() { calls++ }
		one := []int{1}
		if err := first(w.LockAll(), w.Put(one, 0, 0), w.Get(one, 0, 0), w.Accumulate(Sum[int](), one, 0, 0),
			w.UnlockAll()); err != nil {
			return err
		}
		require.Equal(t, 5, calls)
		return w.Free()
	})
}
