package memory

import (
	"encoding/binary"
	"fmt"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// touchRank is one rank of Touch: it fills its own shared memory, then reads
// all of every peer's and checks it.
func touchRank(args []string) {
	var n uint // 0 is possible
	rankside.ScanArgs("bytes per rank", args, &n)
	mpi.Run(func(world *mpi.Comm) error { return touch(world, int(n)) })
}

func touch(world *mpi.Comm, n int) error {
	window, err := mpi.WinAllocateShared[byte](world, n)
	if err != nil {
		return err
	}
	fill(window.Local(), world.Rank())
	if err := world.Barrier(); err != nil {
		return err
	}
	// Each rank begins with its right neighbour, so that they do not all read
	// the same peer.
	for i := range world.Size() {
		peer := (world.Rank() + i) % world.Size()
		memory, err := window.Segment(peer)
		if err != nil {
			return err
		}
		if got, want := sum(memory), expected(n, peer); got != want {
			return fmt.Errorf("the memory of rank %d adds up to %#x, not %#x", peer, got, want)
		}
	}
	return world.Barrier()
}

// fill writes the rank's number, and the position, into every word.
func fill(b []byte, rank int) {
	for i := 0; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], word(i, rank))
	}
}

func word(i, rank int) uint64 { return uint64(i) + uint64(rank)<<32 + 1 }

func sum(b []byte) (total uint64) {
	for ; len(b) >= 8; b = b[8:] {
		total += binary.LittleEndian.Uint64(b)
	}
	return total
}

// expected is what sum returns for n bytes filled by the rank.
func expected(n, rank int) uint64 {
	words := uint64(n / 8)
	return words*word(0, rank) + 8*(words*(words-1)/2)
}
