package rankside

import (
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// A Pace bounds the repetitions that a rank program makes at one size.
// runner/peer/common.h has the same in C.
type Pace struct {
	Repetitions int
	Limit       time.Duration // of all of them
}

// More returns how many repetitions to make next when done, at least one, have taken
// so long: as many as there have been, but no more than are wanted, and than are to be
// expected within the limit.
func (p Pace) More(done int, spent time.Duration) int {
	left := (p.Limit - spent).Seconds() / max(spent.Seconds(), 1e-9) * float64(done)
	return max(0, int(min(float64(done), float64(p.Repetitions-done), left)))
}

// warmUpTime is how long to warm up at least: a runtime that has just begun to be busy
// interrupts it more often than later, Go's for some milliseconds.
const warmUpTime = 20 * time.Millisecond

// WarmUp makes a tenth of the repetitions, or as many as take a tenth of the limit. It makes
// more if that takes less than warmUpTime. It returns how many are then to be made: on all
// ranks what rank 0 finds. It begins with a barrier: the first repetition is no measure of the
// others if it waits for ranks that start.
func (p Pace) WarmUp(world *mpi.Comm, step func(i int) error) (repetitions int, err error) {
	if err := world.Barrier(); err != nil {
		return 0, err
	}
	tenth := Pace{(p.Repetitions + 9) / 10, p.Limit / 10}
	plan := []int{1, 0} // how many to make now, and afterwards
	var spent time.Duration
	for done := 0; plan[0] > 0; {
		start := time.Now()
		for range plan[0] {
			if err := step(done); err != nil {
				return 0, err
			}
			done++
		}
		took := time.Since(start)
		spent += took
		fits := p.Limit.Seconds() / max(took.Seconds(), 1e-9) * float64(plan[0])
		plan[0], plan[1] = tenth.More(done, spent), max(1, int(min(float64(p.Repetitions), fits)))
		if plan[0] == 0 && spent < min(warmUpTime, tenth.Limit) {
			plan[0] = done
		}
		if err := mpi.Bcast(world, plan, 0); err != nil {
			return 0, err
		}
	}
	return plan[1], nil
}
