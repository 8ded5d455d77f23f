// Outlive computes how a plate becomes warm, and loses no step when ranks die. A rank keeps its rows by mpi.Keep: when
// it has failed, another one finds them in its memory, and takes them over. There is no checkpoint. The plate ends with
// the bits of a run in which nobody dies. With -die some ranks kill themselves, each in the middle of a step.
//
//	pvasrun --survive -n 9 ./examples/outlive -die 5
package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	die := flag.Int("die", 0, "`number` of ranks that die: ranks 1, 2 and so on")
	cells := flag.Int("cells", 120, "`cells` along each side of the plate, at least one a rank")
	steps := flag.Int("steps", 300, "`steps` of time")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if *cells < world.Size() || *die >= world.Size() {
			return fmt.Errorf("%d cells are too few, or %d of %d ranks too many", *cells, *die, world.Size())
		}
		p := &plate{world: world, cells: *cells, strips: map[int]*strip{}, last: *steps + 1}
		if me := world.Rank(); me > 0 && me <= *die {
			p.dies = 1 + *steps*me/(*die+1)
		}
		if err := p.begin(world.Rank()); err != nil {
			return err
		}
		if err := world.Barrier(); err != nil { // from here on the job survives
			return err
		}
		if err := mpi.Survive(world, p.run); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Printf("%d x %d cells, %d steps: the sum of their bits is %016x, with %d of %d ranks at the end\n",
				*cells, *cells, *steps, p.sum, world.Size()-world.Failed().Size(), world.Size())
		}
		return nil
	})
}

// plate is divided into strips of rows, as many as the world has ranks. Version v of a strip is its cells after v-1
// steps; it has none in version 0.
type plate struct {
	world  *mpi.Comm
	cells  int
	strips map[int]*strip // of this rank, by number
	owners []int          // of all strips, as ranks of the communicator of the run
	last   int            // version
	dies   int            // in the step from this version on; 0: never
	sum    uint64
}

// run does what is left to do, on a communicator of those that live.
//
// A rank goes on from a version only when all strips have that one, or the next: the barrier sees to it. So nobody has
// begun to write over the lowest version when a rank fails, and all can go on from there.
func (p *plate) run(c *mpi.Comm) error {
	if err := p.inherit(c); err != nil {
		return err
	}
	lowest := p.last
	for _, s := range p.strips {
		lowest = min(lowest, s.kept.Version())
	}
	version, err := mpi.AllreduceOne(c, lowest, mpi.Min[int]())
	if err != nil {
		return err
	}
	for _, s := range p.strips { // one that is ahead goes back
		s.kept.SetVersion(version)
	}
	for ; version < p.last; version++ {
		if err := p.step(c, version); err != nil {
			return err
		}
		for _, s := range p.strips {
			s.kept.SetVersion(version + 1)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
	}
	sum := uint64(0)
	for _, s := range p.strips {
		for i, cell := range s.in(version) {
			sum += math.Float64bits(cell) * uint64(s.top*p.cells+i+1)
		}
	}
	p.sum, err = mpi.AllreduceOne(c, sum, mpi.Sum[uint64]())
	return err
}
