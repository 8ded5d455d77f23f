package launcher

import (
	"fmt"
	"time"
)

// Deadlock is what becomes of a job with a proved deadlock.
type Deadlock string

// The policies.
const (
	DeadlockEnd    Deadlock = "end"    // it is reported, and the job ends with code 125; the default
	DeadlockReport Deadlock = "report" // it is reported, once
	DeadlockOff    Deadlock = "off"    // the launcher does not look
)

// DeadlockAfter is how long ranks have waited when the launcher begins to look.
const DeadlockAfter = 3 * time.Second

// leastDeadlockAfter is the least Job.DeadlockAfter. Each look wakes the ranks, so they must have waited for some time.
const leastDeadlockAfter = 10 * time.Millisecond

// CheckDeadlockAfter tells whether the launcher can look for deadlocks of ranks that have waited for so long: nil if it
// can.
func CheckDeadlockAfter(after time.Duration) error {
	if after < leastDeadlockAfter {
		return fmt.Errorf(
			"launcher: job: to look for a deadlock after %v is too early: take %v or more, or look for "+
				"none (--deadlock off)",
			after, leastDeadlockAfter)
	}
	return nil
}
