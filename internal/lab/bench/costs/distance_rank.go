package costs

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// A Distance measures how far the CPUs of ranks 0 and 1 are apart: what a cache line takes from one
// to the other and back. Both measure at a time. Other ranks do not.
type Distance struct {
	rank        int
	there, back *uint64 // written by rank 0 and by rank 1
	turn        uint64
}

// NewDistance is collective.
func NewDistance(world *mpi.Comm) (*Distance, error) {
	const words = 64 // several cache lines
	w, err := mpi.WinAllocateShared[uint64](world, words)
	if err != nil {
		return nil, err
	}
	shared, err := w.Segment(0)
	if err != nil {
		return nil, err
	}
	return &Distance{rank: world.Rank(), there: &shared[0], back: &shared[words/2]}, nil
}

// Measure returns the distance in ns: the least of a few, since somebody else may have had a CPU.
func (d *Distance) Measure() float64 {
	const tries, trips = 3, 16
	least := math.Inf(1)
	for range tries {
		start := time.Now()
		for range trips {
			d.trip()
		}
		least = min(least, float64(time.Since(start).Nanoseconds())/trips)
	}
	return least
}

func (d *Distance) trip() {
	d.turn++
	if d.rank == 0 {
		atomic.StoreUint64(d.there, d.turn)
		for atomic.LoadUint64(d.back) != d.turn {
		}
		return
	}
	for atomic.LoadUint64(d.there) != d.turn {
	}
	atomic.StoreUint64(d.back, d.turn)
}

// SameDistance tells whether two distances are that of one placement of the CPUs.
func SameDistance(a, b float64) bool {
	const apart = 1.3 // placements differ by a factor of two or more
	return a < apart*b && b < apart*a
}

// A Place is a distance at which ranks want to be.
type Place struct {
	world    *mpi.Comm
	distance *Distance
	wanted   float64 // ns; 0: any
}

// NewPlace is collective.
func NewPlace(world *mpi.Comm, wanted float64) (p *Place, err error) {
	p = &Place{world: world, wanted: wanted}
	if wanted > 0 {
		p.distance, err = NewDistance(world)
	}
	return p, err
}

// Here tells whether the CPUs are at the wanted distance. Ranks 0 and 1 ask at a time.
func (p *Place) Here() bool {
	return p.wanted == 0 || SameDistance(p.distance.Measure(), p.wanted)
}

// AllHere tells all ranks whether ranks 0 and 1 are at the wanted distance. It is collective.
func (p *Place) AllHere() (bool, error) {
	here := []int{1}
	if p.world.Rank() < 2 && !p.Here() {
		here[0] = 0
	}
	err := mpi.Bcast(p.world, here, 0)
	return here[0] != 0, err
}

// elsewhereLine is what a job prints that ends because it is at another distance.
const elsewhereLine = "# elsewhere\n"

// begin is AllHere for a rank program, which ends if it is elsewhere.
func (p *Place) begin() (here bool, err error) {
	if here, err = p.AllHere(); err == nil && !here && p.world.Rank() == 0 {
		fmt.Print(elsewhereLine)
	}
	return here, err
}

// distanceRank is the rank program of FindDistances.
func distanceRank([]string) {
	mpi.Run(func(world *mpi.Comm) error {
		d, err := NewDistance(world)
		if err != nil {
			return err
		}
		if ns := d.Measure(); world.Rank() == 0 {
			fmt.Printf("%.1f\n", ns)
		}
		return nil
	})
}
