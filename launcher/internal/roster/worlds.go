package roster

import (
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Worlds are those of the job, as one node sees them. Its ranks are counted from 0 here.
type Worlds struct {
	part *part.Part // nil: all of the job
	list []world
	size int // ranks here
}

type world struct {
	job.World
	begins int // the first of its ranks here
}

// A Seat says which rank of the node one is, and of its world.
type Seat struct {
	Rank    int // on this node
	Number  int // in the job
	InWorld int // in its world
	Local   int // among the ranks of its world on this node
}

// Number returns the number in the job of a rank of this node.
func (w *Worlds) Number(rank int) int { return w.part.Number(rank) }

// Size returns how many ranks the node has had.
func (w *Worlds) Size() int { return w.size }

// Several tells whether there is another world than the first.
func (w *Worlds) Several() bool { return len(w.list) > 1 }

// Next is the number of a world that is added.
func (w *Worlds) Next() int { return len(w.list) }

// World returns the world of a rank of this node. The first world has all ranks that the job began with.
func (w *Worlds) World(rank int) job.World { return w.of(rank).World }

func (w *Worlds) of(rank int) (found world) {
	for _, one := range w.list {
		if rank < one.begins {
			break
		}
		found = one
	}
	return found
}

// Seat returns the seat of a rank of this node.
func (w *Worlds) Seat(rank int) Seat {
	of, number := w.of(rank), w.Number(rank)
	return Seat{rank, number, number - of.First, rank - of.begins}
}

// Here are the ranks of a world on this node.
func (w *Worlds) Here(of job.World) (ranks []int) {
	for rank := w.list[of.Number].begins; rank < w.size && w.World(rank).Number == of.Number; rank++ {
		ranks = append(ranks, rank)
	}
	return ranks
}
