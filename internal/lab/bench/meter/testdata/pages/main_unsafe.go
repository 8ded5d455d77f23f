// Pages is a rank that says how much of its memory lies on its NUMA node: of its heap, and of its part of two windows
// that a neighbour touches first. Before, all ranks send to all others, which touch their mailboxes. It ends with 1 if
// less than 98 % of a kind is on the node.
package main

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi"
)

const size = 1 << 20

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	world, err := mpi.Init()
	if err != nil {
		return err
	}
	me, n := world.Rank(), world.Size()
	node, err := nodeHere()
	if err != nil {
		return err
	}
	heap := make([]byte, 4*size)
	for i := 0; i < len(heap); i += 4096 {
		heap[i] = 1
	}
	apart, err := mpi.WinAllocateShared[byte](world, size)
	if err != nil {
		return err
	}
	piece, err := mpi.WinAllocateContiguous[byte](world, size)
	if err != nil {
		return err
	}
	for _, w := range []*mpi.Window[byte]{apart, piece} {
		theirs, err := w.Segment((me + 1) % n)
		if err != nil {
			return err
		}
		for i := 0; i < len(theirs); i += 4096 {
			theirs[i] = 1
		}
	}
	for peer := range n {
		to, from := (me+peer)%n, (me+n-peer)%n
		if _, err := mpi.Sendrecv(world, heap[:3000], to, 0, heap[8192:8192+3000], from, 0); err != nil {
			return err
		}
	}
	if err := world.Barrier(); err != nil {
		return err
	}
	var bad error
	for _, m := range []struct {
		what string
		mem  []byte
	}{{"heap", heap}, {"window", apart.Local()}, {"part of a contiguous window", piece.Local()}} {
		here, all, err := on(node, m.mem)
		if err != nil {
			return err
		}
		fmt.Printf("rank %d: node %d has %d of %d pages: %s\n", me, node, here, all, m.what)
		if 100*here < 98*all {
			bad = errors.Join(bad, fmt.Errorf("rank %d: too few pages of its %s are on its node", me, m.what))
		}
	}
	return errors.Join(apart.Free(), piece.Free(), world.Finalize(), bad)
}

// nodeHere is the node of the CPU that runs this.
func nodeHere() (int, error) {
	var cpu, node uint32
	_, _, errno := unix.Syscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), uintptr(unsafe.Pointer(&node)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(node), nil
}

var read byte

// on counts the pages of mem that are there, and those on a node.
func on(node int, mem []byte) (here, all int, err error) {
	at := sys.AddrOf(mem)
	end := at + uintptr(len(mem))
	var pages []uintptr
	for p := at&^4095 + 4096; p+4096 <= end; p += 4096 {
		pages = append(pages, p)
		read += mem[p-at] // a page that a peer has made is in our page table only then
	}
	nodes, err := sys.PageNodes(0, pages)
	if err != nil {
		return 0, 0, err
	}
	for _, n := range nodes {
		if n >= 0 {
			all++
		}
		if n == node {
			here++
		}
	}
	return here, all, nil
}
