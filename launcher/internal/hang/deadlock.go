package hang

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
)

// stillness is how long ranks must have waited before a cycle among them counts
// as a deadlock: a message that is already there wakes its receiver long before.
const stillness = 100 * time.Millisecond

// farStillness is stillness among nodes: they are not looked at at the same moment, and the
// network may have to send a message again.
const farStillness = time.Second

// describeDeadlock proves a deadlock or says nothing.
func describeDeadlock(views []job.View, now, still time.Duration) string {
	dead, cycle := job.Deadlocked(views)
	if len(dead) == 0 {
		return ""
	}
	shortest := shortestWait(views, dead, now)
	if shortest < still {
		return ""
	}
	kind, verdict := judge(views, dead)
	if slices.ContainsFunc(dead, func(r int) bool { return views[r].Waiting.Op == job.OpReady }) {
		return fmt.Sprintf("  a rank waits for its own MPI_Pready: %s\n", verdict)
	}
	if len(cycle) == 0 {
		return fmt.Sprintf("  a rank that others wait for has called Finalize: %s\n", verdict)
	}
	return fmt.Sprintf("  %s: %s; nothing has moved for %v, and %s\n", kind, steps(cycle),
		shortest.Round(time.Millisecond), verdict)
}

// shortestWait is how long all of these ranks have waited.
func shortestWait(views []job.View, ranks []int, now time.Duration) time.Duration {
	shortest := waited(views[ranks[0]], now)
	for _, r := range ranks[1:] {
		shortest = min(shortest, waited(views[r], now))
	}
	return shortest
}

// steps names the ranks of a cycle.
func steps(cycle []int) string {
	names := make([]string, 0, len(cycle)+1)
	for _, r := range append(cycle[:len(cycle):len(cycle)], cycle[0]) {
		names = append(names, fmt.Sprintf("rank %d", r))
	}
	return strings.Join(names, " waits for ")
}

// judge says what becomes of ranks that wait for one another only: a deadlock, or a circle that another goroutine or
// thread may break. A rank shows one wait.
func judge(views []job.View, dead []int) (kind, verdict string) {
	var others []int
	for _, r := range dead {
		if views[r].Waiting.Others {
			others = append(others, r)
		}
	}
	if len(others) == 0 {
		return "deadlock", rankList(dead, 0) + " can never go on"
	}
	return "circle", "only other goroutines or threads of " + rankList(others, 0) + " could end that"
}

// describeProof says what is proved.
func describeProof(views []job.View, p *job.Proof, now time.Duration) string {
	what := ""
	switch {
	case len(p.Freed) > 0:
		what = rankList(p.Freed, 0) + " freed the communicator; "
	case len(p.Cycle) > 0:
		what = steps(p.Cycle) + "; "
	case p.All:
		what = "all ranks wait, and no message is on its way; "
	case p.Begun:
		what = "each has begun this operation, and not in the same order with other calls of the communicator: " +
			"goroutines or threads may have raced; "
	}
	return fmt.Sprintf("  deadlock, proved: %snothing has moved for %v, and %s can never go on\n",
		what, shortestWait(views, p.Ranks, now).Round(time.Millisecond), rankList(p.Ranks, 0))
}
