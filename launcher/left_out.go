package launcher

import (
	"fmt"

	"github.com/gopvas/gopvas/job"
)

// describeLeftOut names a rank that has ended in order after another number of collective operations on the
// communicator of all ranks than most others, or says nothing. Then one has left out an operation in which
// nobody had to wait for it. Ranks that do not know, for example because an operation has failed, are not
// looked at.
func describeLeftOut(root *job.Root) string {
	count := map[uint32]int{}
	for rank := range root.Ranks() {
		if n, known := worldCalls(root, rank); known {
			count[n]++
		}
	}
	if len(count) < 2 {
		return ""
	}
	usual, most := uint32(0), 0
	for n, ranks := range count {
		if ranks > most || ranks == most && n > usual {
			usual, most = n, ranks
		}
	}
	odd, other := -1, -1
	for rank := root.Ranks() - 1; rank >= 0; rank-- {
		switch n, known := worldCalls(root, rank); {
		case !known:
		case n == usual:
			other = rank
		default:
			odd = rank
		}
	}
	n, _ := worldCalls(root, odd)
	return fmt.Sprintf("rank %d has called Finalize after %d collective operations on the communicator of all ranks, rank %d after %d: %s",
		odd, n, other, usual, sameCalls)
}

// describeFinalize names a rank that waits in MPI_Finalize while another one waits for it in something else,
// or says nothing.
func describeFinalize(views []job.View) string {
	for i := range views {
		v := &views[i]
		if !v.Waits || inFinalize(v) {
			continue
		}
		for _, r := range v.For {
			if r >= 0 && r < len(views) && inFinalize(&views[r]) {
				return fmt.Sprintf("  rank %d is in MPI_Finalize, and rank %d waits for it in %s: rank %d has left out what they wait for\n",
					r, v.Rank, callOf(*v, action(v)), r)
			}
		}
	}
	return ""
}

// action is what a rank that waits does, in lower case.
func action(v *job.View) string {
	if v.Waiting.Op == job.OpCollective {
		return v.Waiting.Collective.Name
	}
	return v.Waiting.Op.String()
}

// inFinalize tells whether a rank waits for all others to come to their ends.
func inFinalize(v *job.View) bool {
	return v.Waits && v.Waiting.Op == job.OpCollective && v.Waiting.Collective.Name == job.Ending
}

func worldCalls(root *job.Root, rank int) (n uint32, known bool) {
	if root.State(rank) != job.StateFinal {
		return 0, false
	}
	return root.WorldCalls(rank)
}
