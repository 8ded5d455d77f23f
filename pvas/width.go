package pvas

import (
	"errors"
	"sync"

	"github.com/gopvas/gopvas/internal/sys"
)

// How many bits an address of this process has. It is a matter of the kernel's configuration: with three levels of
// page tables it is 39 bits (pages of 4 KiB), 42 (64 KiB) or 47 (16 KiB). No file says so.
var addressBits = sync.OnceValue(func() int { return widest(here.bits, mappable) })

// leastBits is the width with two levels of page tables of 16 KiB, the smallest that there is.
const leastBits = 36

// widest returns the largest number of bits, at most so many, of which the kernel takes addresses.
func widest(most int, mappable func(address uint64) bool) int {
	for bits := most; bits > leastBits; bits-- {
		if mappable(1 << (bits - 1)) {
			return bits
		}
	}
	return leastBits
}

// mappable tells whether there can be memory at an address. It maps a page there for a moment.
func mappable(address uint64) bool {
	at, err := sys.Mmap(uintptr(address), uintptr(here.page), sys.ProtNone,
		sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve|sys.MapFixedNoReplace, -1, 0)
	if err != nil {
		return errors.Is(err, sys.EEXIST)
	}
	_ = sys.Munmap(at, uintptr(here.page))
	return true
}

// mostReserved bounds the partitions of a space: a quarter of the addresses, since the runtimes' own mappings need
// some too.
func mostReserved() uint64 { return 1 << (addressBits() - 2) }
