package pml_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl/mem"
	"github.com/gopvas/gopvas/pml"
)

// A request is found by its place and handle until it was waited for, freed or left.
func TestOwners(t *testing.T) {
	e := newWorld(t, 2, 2, mem.Options{}).engines[0]
	owner := any("mine")
	end := map[string]func(r *pml.Request) error{
		"wait": func(r *pml.Request) error {
			if err := e.Cancel(r); err != nil {
				return err
			}
			_, err := e.Wait(r)
			return err
		},
		"leave": func(r *pml.Request) error { e.Leave(r); return nil },
	}
	for name, end := range end {
		r, err := e.Irecv(0, 1, 0, nil)
		require.NoError(t, err)
		r.Unit = 5
		place := r.Place()
		r.SetOwner(7, &owner)
		_, its := e.At(place, 8)
		require.Nil(t, its, "another handle")
		found, its := e.At(place, 7)
		require.Equal(t, r, found)
		require.Same(t, &owner, its)
		require.NoError(t, end(&r), name)
		_, its = e.At(place, 7)
		require.Nil(t, its, name)
	}
	for _, place := range []int{-65, -1, 1 << 20} {
		_, its := e.At(place, 0)
		require.Nil(t, its, place)
	}
}

// Threads begin operations and find their own again while others do so.
func TestOwnersOfThreads(t *testing.T) {
	e := newWorld(t, 2, 2, mem.Options{}).engines[0]
	var threads sync.WaitGroup
	for thread := range 4 {
		owner := any(thread)
		threads.Go(func() {
			for i := range 300 {
				places := map[int]uintptr{}
				for range i % 50 {
					r, err := e.Irecv(0, 1, thread, nil)
					assert.NoError(t, err)
					places[r.Place()] = uintptr(r.Generation()) + 1
					r.SetOwner(uintptr(r.Generation())+1, &owner)
				}
				for place, handle := range places {
					r, its := e.At(place, handle)
					assert.Same(t, &owner, its)
					assert.NoError(t, e.Cancel(&r))
					st, err := e.Wait(&r)
					assert.NoError(t, err)
					assert.True(t, st.Cancelled)
				}
			}
		})
	}
	threads.Wait()
}
