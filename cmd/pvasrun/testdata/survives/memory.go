package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

const elements = 3000

// memory has the last rank die. The others read what it had in windows, and what it had kept.
func memory(world *mpi.Comm) error {
	dead := world.Size() - 1
	apart, err := mpi.WinAllocateShared[int](world, elements)
	if err != nil {
		return err
	}
	together, err := mpi.WinAllocateContiguous[int](world, elements)
	if err != nil {
		return err
	}
	windows := []*mpi.Window[int]{apart, together}
	if world.Rank() == dead {
		return bequeath(world, windows)
	}
	if err := mpi.SendOne(world, 0, dead, 1); err != nil {
		return err
	}
	_, _, err = mpi.RecvOne[int](world, dead, 2)
	if err := lost("receive", dead, err); err != nil {
		return err
	}
	for _, w := range windows {
		if err := reads(w, dead); err != nil {
			return err
		}
	}
	if err := inherits(world, dead); err != nil {
		return err
	}
	if err := errors.Join(apart.Free(), together.Free()); err != nil || world.Rank() > 0 {
		return err
	}
	fmt.Println("memory: right")
	return nil
}

// bequeath leaves memory to the others, and dies.
func bequeath(world *mpi.Comm, windows []*mpi.Window[int]) error {
	for _, w := range windows {
		for i := range w.Local() {
			w.Local()[i] = i + 1
		}
	}
	freed, err := mpi.Keep[int](world, "freed", elements)
	if err != nil {
		return err
	}
	kept, err := mpi.Keep[int](world, "state", 2*elements)
	if err != nil || freed.Free() != nil {
		return err
	}
	if _, err := mpi.Keep[int](world, "state", 1); err == nil {
		return errors.New("a name was given twice")
	}
	for i := range elements {
		kept.Elements()[elements+i] = i + 1
	}
	kept.SetVersion(7)
	kept.Elements()[0] = 99 // of the next state, which is never whole
	for r := range world.Size() - 1 {
		if _, _, err := mpi.RecvOne[int](world, r, 1); err != nil {
			return err
		}
	}
	return die()
}

// reads requires that a window has what the dead rank had there, and takes nothing more.
func reads(w *mpi.Window[int], dead int) error {
	all, err := w.Segment(dead)
	if err != nil {
		return err
	}
	if err := sequence(all); err != nil {
		return err
	}
	got := make([]int, elements)
	if err := errors.Join(w.RLock(dead), w.Get(got, dead, 0), sequence(got)); err != nil {
		return err
	}
	for what, err := range map[string]error{
		"put":        w.Put(got, dead, 0),
		"accumulate": w.Accumulate(mpi.Sum[int](), got[:1], dead, 1),
	} {
		if err := lost(what, dead, err); err != nil {
			return err
		}
	}
	return errors.Join(w.Unlock(dead), sequence(all))
}

func sequence(all []int) error {
	for i := range elements {
		if all[i] != i+1 {
			return fmt.Errorf("element %d is %d", i, all[i])
		}
	}
	return nil
}

// inherits requires that the dead rank has kept what it should.
func inherits(world *mpi.Comm, dead int) error {
	state, version, err := mpi.KeptOf[int](world, dead, "state")
	if err != nil {
		return err
	}
	if version != 7 || len(state) != 2*elements || state[0] != 99 {
		return fmt.Errorf("version %d of %d elements, the first is %d", version, len(state), state[0])
	}
	for _, name := range []string{"freed", "", "stat"} {
		if _, _, err := mpi.KeptOf[int](world, dead, name); !errors.Is(err, mpi.ErrNotKept) {
			return fmt.Errorf("%q is kept: %w", name, err)
		}
	}
	if _, _, err := mpi.KeptOf[int32](world, dead, "state"); err == nil {
		return errors.New("elements of another type are read")
	}
	if _, _, err := mpi.KeptOf[int](world, world.Rank(), "state"); err == nil || errors.Is(err, mpi.ErrNotKept) {
		return fmt.Errorf("a rank that lives: %w", err)
	}
	return sequence(state[version%2*elements:])
}
