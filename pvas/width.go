package pvas

import (
	"math/bits"
	"sync"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// addressBits is how many bits an address of this process has. The kernel's configuration decides. Three levels of page
// tables give 39 bits (pages of 4 KiB), 42 (64 KiB) or 47 (16 KiB), four levels 48 on arm64.
var addressBits = sync.OnceValue(func() int {
	auxv, err := sys.Auxv()
	if err != nil {
		return here.bits
	}
	return here.widthOf(auxv)
})

// widthOf tells the width from the auxiliary vector. The kernel puts the stack of the first thread at the end of the
// addresses, but for those that a program has to ask for. AT_RANDOM names bytes on that stack.
func (m *machine) widthOf(auxv [][2]uintptr) int {
	for _, e := range auxv {
		if e[0] == atRandom {
			return min(bits.Len64(uint64(e[1])), m.bits)
		}
	}
	return m.bits
}

// mostReserved bounds the partitions of a space: a quarter of the addresses, since the runtimes' own mappings need
// some too.
func mostReserved() uint64 { return 1 << (addressBits() - 2) }
