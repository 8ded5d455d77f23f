package mpi

import (
	"errors"
	"fmt"
	"slices"
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
			if err := first(wantIs("second free", free, ErrWindowFreed), wantIs("segment", segment, ErrWindowFreed)); err != nil {
				return err
			}
		}
	}
	return s.Free()
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
	_, bad := WinAllocateShared[string](c, 3)
	_, typeErr := errors.AsType[*TypeError](bad)
	return first(wantContains(err, "all ranks give the same type"), want("type error", typeErr, true), c.Barrier())
}
