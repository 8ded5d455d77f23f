package hang

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/job"
)

// LeftOut returns "" if all ranks have called Finalize after the same number of collective operations on the
// communicator of all ranks. Otherwise a rank has left out an operation in which no other rank had to wait for it.
// Then the message names a rank whose number differs from the most frequent one. Ranks whose number is not known, for
// example after an operation that failed, do not count. Each world has calls of its own.
func LeftOut(root *job.Root) string {
	for first := 0; first < root.Ranks(); first += root.World(first).Size {
		if odd := leftOut(root, root.World(first)); odd != "" {
			return odd
		}
	}
	return ""
}

func leftOut(root *job.Root, w job.World) string {
	count := map[uint32]int{}
	for rank := w.First; rank < w.First+w.Size; rank++ {
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
	for rank := w.First + w.Size - 1; rank >= w.First; rank-- {
		switch n, known := worldCalls(root, rank); {
		case !known:
		case n == usual:
			other = rank
		default:
			odd = rank
		}
	}
	n, _ := worldCalls(root, odd)
	return fmt.Sprintf("rank %d has called Finalize after %d collective operations on the communicator of all ranks, "+
		"rank %d after %d: %s", odd, n, other, usual, SameCalls)
}

// describeFinalize names a rank that waits in Finalize while another rank waits for it in another call. It returns
// "" if there is none.
func describeFinalize(views []job.View) string {
	for i := range views {
		v := &views[i]
		if !v.Waits || inFinalize(v) || v.Waiting.Op != job.OpCollective && v.Waiting.Peer == job.AnyPeer {
			continue // the message may come from another rank
		}
		for _, r := range v.For {
			if r >= 0 && r < len(views) && inFinalize(&views[r]) {
				or := "or has made it on another communicator"
				switch {
				case v.Waiting.Op != job.OpCollective:
					or = "or has made it on another communicator or with another tag"
				case views[r].Waiting.Refused != "":
					or = "which may be the one that was refused"
				}
				end := &views[r]
				return fmt.Sprintf("  rank %d is in %s, and rank %d waits for it in %s: "+
					"rank %d has left out the call that rank %d waits for, %s\n", r, callOf(*end, action(end)),
					v.Rank, callOf(*v, action(v)), r, v.Rank, or)
			}
		}
	}
	return ""
}

// action names the call in which a rank waits, in lower case.
func action(v *job.View) string {
	if v.Waiting.Op == job.OpCollective {
		return v.Waiting.Collective.Name
	}
	return v.Waiting.Op.String()
}

// inFinalize tells whether a rank waits in Finalize for the other ranks.
func inFinalize(v *job.View) bool {
	return v.Waits && v.Waiting.Op == job.OpCollective && v.Waiting.Collective.Name == job.Ending
}

func worldCalls(root *job.Root, rank int) (n uint32, known bool) {
	if root.State(rank) != job.StateFinal {
		return 0, false
	}
	return root.WorldCalls(rank)
}

const SameCalls = "all ranks of a communicator call the same collectives in the same order (--check " +
	"finds where they do not)"
