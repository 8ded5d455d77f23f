package wait

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/shm"
)

// Pace is how many looks a wait of the rank makes before it sleeps, and whether it gives way after each.
//
// The fields are set under the caller's lock and read without it. A wait that reads one old and one new value makes too
// few or too many looks, once.
type Pace struct {
	spin  atomic.Int32              // looks; 0 in a rest of vigil
	crowd atomic.Pointer[shm.Crowd] // of the bed, or of a node with a few more ranks than CPUs; nil: none
	vigil *shm.Vigil                // nil: none is kept
}

// conditionLooks bounds the looks of a rank with a crowd that waits for a condition. With several nodes that is most
// often what another rank of its node does, which may use the network for all: leave it the CPU.
const conditionLooks = 256

// Set sets the looks of a wait, and the crowd, nil if there is none.
func (p *Pace) Set(looks int, crowd *shm.Crowd) {
	p.crowd.Store(crowd)
	p.spin.Store(int32(looks))
}

// Spin is how many looks a wait may make.
func (p *Pace) Spin() int { return int(p.spin.Load()) }

// Crowded tells whether there is a crowd: GoOn is asked after each look.
func (p *Pace) Crowded() bool { return p.crowd.Load() != nil }

// Looks begins a wait, for a condition or for operations, and returns how many looks it may make.
func (p *Pace) Looks(condition bool) int {
	looks, crowd := p.Spin(), p.crowd.Load()
	if condition && crowd != nil {
		looks = min(looks, conditionLooks)
	}
	return crowd.Looks(looks)
}

// GoOn is GoOn of the crowd after a look, which was not in vain if it worked. Modules with the crowd say so
// themselves of work that brings no message and completes nothing.
func (p *Pace) GoOn(worked bool) bool {
	crowd := p.crowd.Load()
	if worked {
		crowd.Worked()
	}
	return crowd.GoOn()
}

// Shares tells whether the rank shares its CPU.
func (p *Pace) Shares() bool { return p.crowd.Load().Shares() }

// Yields tells whether a wait yields before it sleeps, and a test after it. In a rest neither does: others would
// keep the CPU.
func (p *Pace) Yields() bool {
	if crowd := p.crowd.Load(); crowd != nil {
		return crowd.GivesWay()
	}
	return p.spin.Load() == 0
}

// KeepVigil has the calling thread, which is going to wait, look on before it sleeps, and find out whether others want
// its CPU: see shm.Vigil. It does not if ranks are more than CPUs, or are to sleep early.
func (p *Pace) KeepVigil() {
	if looks := p.Spin(); looks >= job.DefaultSpin && !p.Crowded() {
		p.vigil = shm.NewVigil()
		p.spin.Store(int32(p.vigil.Looks(looks)))
	}
}

// KeepsVigil tells whether Vigil looks.
func (p *Pace) KeepsVigil() bool { return p.vigil != nil && !p.Crowded() }

// Vigil looks on before a sleep, and returns whether over has returned true. In a rest all waits sleep at once, also
// those elsewhere; in none they make so many looks as said.
func (p *Pace) Vigil(looks int, over func() bool) (came bool) {
	came = p.vigil.Look(over)
	p.spin.Store(int32(p.vigil.Looks(looks)))
	return came
}

// Worked is called by a look that was not in vain, and so may have taken long.
func (p *Pace) Worked() { p.vigil.Worked() }
