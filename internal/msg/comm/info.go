package comm

import (
	"slices"
	"strconv"
)

// Info has hints to calls: values by key, both text, in the order in which the keys were
// first set. A call may ignore any hint. One goroutine at a time uses an Info.
//
// MPI 4.1 chapter 10.
type Info struct {
	hints []hint
}

type hint struct{ key, value string }

func (f *Info) find(key string) int {
	return slices.IndexFunc(f.hints, func(h hint) bool { return h.key == key })
}

// Set gives the key a value, in place of the one it has.
func (f *Info) Set(key, value string) {
	if i := f.find(key); i >= 0 {
		f.hints[i].value = value
		return
	}
	f.hints = append(f.hints, hint{key, value})
}

// Get returns the value of a key; ok tells whether it has one.
func (f *Info) Get(key string) (value string, ok bool) {
	if i := f.find(key); i >= 0 {
		return f.hints[i].value, true
	}
	return "", false
}

// Delete removes a key, and tells whether it was there.
func (f *Info) Delete(key string) bool {
	i := f.find(key)
	if i >= 0 {
		f.hints = slices.Delete(f.hints, i, i+1)
	}
	return i >= 0
}

// Len returns the number of keys.
func (f *Info) Len() int { return len(f.hints) }

// Key returns the key with a number from 0 to Len()-1.
func (f *Info) Key(i int) string { return f.hints[i].key }

// Clone returns a copy; of nil, an empty one.
func (f *Info) Clone() *Info {
	if f == nil {
		return &Info{}
	}
	return &Info{hints: slices.Clone(f.hints)}
}

// KeyAlignment is the hint that says what allocated memory is to be aligned to.
const KeyAlignment = "mpi_minimum_memory_alignment"

// Alignment is the value of KeyAlignment, if it is a power of two; else 0.
//
// MPI 4.1 section 9.2 (MPI_Alloc_mem).
func Alignment(f *Info) int {
	if f == nil {
		return 0
	}
	value, _ := f.Get(KeyAlignment)
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 || n&(n-1) != 0 {
		return 0
	}
	return n
}
