package pml_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// A request is found by its place and handle until it was waited for, freed or left.
func TestOwners(t *testing.T) {
	e := newWorld(t, 2, 2, mem.Options{}).engines[0]
	owner := any("mine")
	end := map[string]func(r *pml.Request) error{
		"wait": func(r *pml.Request) error {
			if err := r.Cancel(); err != nil {
				return err
			}
			_, err := r.Wait()
			return err
		},
		"leave": func(r *pml.Request) error { r.Leave(); return nil },
	}
	for name, end := range end {
		r, err := e.Irecv(0, 1, 0, nil)
		require.NoError(t, err)
		r.Unit = 5
		place := r.Place()
		r.SetOwner(7, &owner)
		_, its := e.Table().At(place, 8)
		require.Nil(t, its, "another handle")
		found, its := e.Table().At(place, 7)
		require.Equal(t, r, found)
		require.Same(t, &owner, its)
		require.NoError(t, end(&r), name)
		_, its = e.Table().At(place, 7)
		require.Nil(t, its, name)
	}
	for _, place := range []int{-65, -1, 1 << 20} {
		_, its := e.Table().At(place, 0)
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
					r, its := e.Table().At(place, handle)
					assert.Same(t, &owner, its)
					assert.NoError(t, r.Cancel())
					st, err := r.Wait()
					assert.NoError(t, err)
					assert.True(t, st.Cancelled)
				}
			}
		})
	}
	threads.Wait()
}

// A thread looks for handles that are wrong, and for some that it was given, while others begin and end
// operations at the same places.
func TestHandlesOfOtherThreads(t *testing.T) {
	e := newWorld(t, 2, 2, mem.Options{}).engines[0]
	const rounds, each = 200, 20
	owner := any("its")
	given := make(chan pml.Request)
	over := make(chan struct{})
	var threads sync.WaitGroup
	threads.Go(func() { // begins, and gives to the other
		defer close(given)
		for i := range rounds * each {
			r, err := e.Irecv(0, 1, 0, nil)
			assert.NoError(t, err)
			r.SetOwner(uintptr(i+1), &owner)
			given <- r
		}
	})
	threads.Go(func() { // ends
		defer close(over)
		handle := uintptr(0)
		for want := range given {
			handle++
			r, its := e.Table().At(want.Place(), handle)
			assert.Same(t, &owner, its)
			assert.Equal(t, want, r)
			assert.NoError(t, r.Cancel())
			_, err := r.Wait()
			assert.NoError(t, err)
			if handle%each == 0 {
				e.Within(func(in pml.Inside) { in.Idle(0) }) // which may shrink the pool
			}
		}
	})
	threads.Go(func() {
		for wrong := uintptr(1 << 40); ; wrong++ {
			for place := range 4 {
				_, its := e.Table().At(place, wrong)
				assert.Nil(t, its)
				assert.Nil(t, e.Table().Owner(place, wrong))
				assert.Nil(t, e.Table().Message(place, wrong))
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	threads.Wait()
}
