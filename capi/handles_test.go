package capi

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHandlesAreFoundUntilTheyAreFreed(t *testing.T) {
	objects := table[int]{kind: kindType}
	var handles []uintptr
	for i := range 1000 {
		handles = append(handles, objects.add(&i))
	}
	for i, h := range handles {
		require.Equal(t, i, *objects.get(h))
		require.GreaterOrEqual(t, h, uintptr(0x400))
		require.Less(t, h, uintptr(1<<31))
	}
	require.Equal(t, 7, *objects.remove(handles[7]))
	require.Nil(t, objects.get(handles[7]))
	require.Nil(t, objects.remove(handles[7]), "freed twice")
	again := objects.add(new(int))
	require.NotEqual(t, handles[7], again, "a freed handle must not come back at once")
	require.Equal(t, placeOf(handles[7]), placeOf(again))
	require.Nil(t, objects.get(handles[7]))
}

func TestWrongHandlesAreFoundOut(t *testing.T) {
	types, requests := table[int]{kind: kindType}, table[int]{kind: kindRequest}
	h := types.add(new(int))
	requests.add(new(int))
	require.Nil(t, requests.get(h), "of another kind")
	for _, wrong := range []uintptr{0, 1, 0x101, 0x3ff, h + 1, h ^ 1<<25, ^uintptr(0), 1 << 40} {
		require.Nil(t, types.get(wrong), "%#x", wrong)
	}
}

func TestHandlesRunOut(t *testing.T) {
	objects := table[int]{kind: kindRequest}
	object := new(int)
	n := 0
	for objects.add(object) != 0 {
		n++
	}
	require.Equal(t, 1<<placeBits-firstPlace, n)
	require.Zero(t, objects.add(object))
}

// Threads take requests and give them back; none gets that of another.
func TestRequestsOfThreads(t *testing.T) {
	requests := requestTable{many: true}
	var wg sync.WaitGroup
	for thread := range 4 {
		on := &communicator{handle: Comm(thread)}
		wg.Go(func() {
			var mine []*request
			for i := range 2000 {
				q := requests.take()
				assert.Nil(t, q.on)
				q.on = on
				if mine = append(mine, q); i%3 != 0 {
					continue
				}
				for _, q := range mine {
					h := q.handle
					assert.Same(t, q, requests.get(h))
					assert.Same(t, on, q.on)
					requests.give(q)
				}
				mine = mine[:0]
			}
		})
	}
	wg.Wait()
}

func TestRequestsRunOut(t *testing.T) {
	var requests requestTable
	q := requests.take()
	requests.give(q)
	requests.give(q)
	require.Same(t, q, requests.take(), "given back twice, and there once")
	require.NotSame(t, q, requests.take())
	requests.used = 1<<placeBits - firstPlace
	require.Zero(t, requests.take().handle)
}
