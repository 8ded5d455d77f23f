package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/mpi"
)

const (
	weight = 100 << 20 // bytes of a rank that is about to die
	atOnce = 4         // such ranks, of whose memory some is left at a time
)

// ballast is what ranks die with.
var ballast []byte

// heavy is replace with ranks that have much memory when they die. It is given back: what the job has stays bounded.
// What the first one has kept is there to the end.
func heavy(world *mpi.Comm) error {
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	c, round, err := joined(world)
	if err != nil {
		return err
	}
	first := resident()
	for ; round < rounds; round++ {
		place := 1 + round%(c.Size()-1)
		if c.Rank() == place {
			return weighty(c)
		}
		if c, err = renewed(c, place, round); err != nil {
			return fmt.Errorf("round %d, rank %d: %w", round, c.Rank(), err)
		}
		if now := resident(); c.Rank() == 0 && now > first+atOnce*weight {
			return fmt.Errorf("round %d: the job has %d MiB, %d at first", round, now>>20, first>>20)
		}
	}
	if c.Rank() == 0 {
		left, version, err := mpi.KeptOf[int](world, 1, "state")
		if err != nil || version != 3 || sequence(left) != nil {
			return fmt.Errorf("version %d of %d elements: %w", version, len(left), errors.Join(err, sequence(left)))
		}
		fmt.Println("heavy: right")
	}
	return c.Free()
}

// weighty keeps a block, and dies with much memory.
func weighty(c *mpi.Comm) error {
	kept, err := mpi.Keep[int](c, "state", elements)
	if err != nil {
		return err
	}
	for i := range kept.Elements() {
		kept.Elements()[i] = i + 1
	}
	kept.SetVersion(3)
	ballast = make([]byte, weight)
	for i := 0; i < weight; i += 4096 {
		ballast[i] = 1
	}
	return die()
}

// resident is how many bytes of memory the address space of this rank has.
func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		panic(err)
	}
	return pages * os.Getpagesize()
}
