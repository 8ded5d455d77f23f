// Endure integrates 4/(1+x*x) from 0 to 1 in blocks, and goes on when ranks die: pvasrun --survive does not end the job
// then, and mpi.Survive calls the same function again on those that are left. All ranks know the sum of the blocks that
// are done, so only the block that was underway is done again. With -die the last ranks kill themselves, each in a
// block of its own, as a defect would.
//
//	pvasrun --survive -n 9 ./examples/endure -die 5
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

const (
	blocks = 100
	slices = 10_000 // of each block
)

// state is what each rank has in its memory.
type state struct {
	done int     // blocks
	sum  float64 // of them
	runs int
}

func main() {
	die := flag.Int("die", 0, "`number` of ranks that die")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if err := world.Barrier(); err != nil { // from here on the job survives
			return err
		}
		var s state
		dies := -1 // the block
		if last := world.Size() - 1 - world.Rank(); last < *die {
			dies = 10 * (last + 1)
		}
		err := mpi.Survive(world, func(c *mpi.Comm) error { return s.run(c, dies) })
		if err == nil && world.Rank() == 0 {
			fmt.Printf("pi is %.8f, in %d runs, with %d of %d ranks at the end\n", s.sum, s.runs,
				world.Size()-world.Failed().Size(), world.Size())
		}
		return err
	})
}

// run does what is left to do.
func (s *state) run(c *mpi.Comm, dies int) error {
	s.runs++
	if err := s.restore(c); err != nil {
		return err
	}
	for s.done < blocks {
		if s.done == dies {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		part := 0.0
		for i := c.Rank(); i < slices; i += c.Size() {
			x := (float64(s.done*slices+i) + 0.5) / (blocks * slices)
			part += 4 / (1 + x*x) / (blocks * slices)
		}
		part, err := mpi.AllreduceOne(c, part, mpi.Sum[float64]())
		if err != nil {
			return err
		}
		s.done, s.sum = s.done+1, s.sum+part
	}
	return nil
}

// restore takes the state of a rank that has done most: the last block may have ended at some ranks only.
func (s *state) restore(c *mpi.Comm) error {
	done, err := mpi.AllreduceOne(c, s.done, mpi.Max[int]())
	if err != nil {
		return err
	}
	sum := s.sum
	if s.done < done {
		sum = 0
	}
	if sum, err = mpi.AllreduceOne(c, sum, mpi.Max[float64]()); err == nil {
		s.done, s.sum = done, sum
	}
	return err
}
