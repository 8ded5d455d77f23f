package capi

import (
	"testing"

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

// The handle of a request differs each time its place is used, and is 0 if it would not fit.
func TestRequestHandles(t *testing.T) {
	for _, place := range []int{0, 1, 255, 1<<placeBits - firstPlace - 1} {
		h := requestHandle(place, 7)
		require.Equal(t, place, placeOf(uintptr(h)))
		require.NotEqual(t, h, requestHandle(place, 8))
		require.Less(t, uintptr(requestHandle(place, 1<<32-1)), uintptr(1)<<31, "fits into a Fortran INTEGER")
	}
	require.Zero(t, requestHandle(1<<placeBits-firstPlace, 0))
}
