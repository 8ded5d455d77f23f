package job

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// waits builds a view; a number above 0 of ranks is waited for.
func waits(any bool, ranks ...int) View {
	return View{State: StateInit, Waits: true, Any: any, For: ranks}
}

// message is a view of a rank that sends to, or receives from, a peer.
func message(op Op, peer, tag int32) View {
	v := waits(false, int(peer))
	v.Waiting = Waiting{Op: op, Peer: peer, Tag: tag, Context: 4}
	return v
}

// anyReceive is a view of rank 1 of 2, which waits for any of several operations; named are the ranks of receives.
func anyReceive(context uint32, named ...int) View {
	v := waits(true, 0)
	v.Waiting = Waiting{Op: OpWait, Peer: AnyPeer, Tag: -1, Context: context}
	for _, rank := range named {
		v.Waiting.Collective.Miss(rank)
	}
	return v
}

func TestDeadlocked(t *testing.T) {
	busy, final, gone := View{State: StateInit}, View{State: StateFinal}, View{Gone: true, State: StateInit}
	for name, c := range map[string]struct {
		views        []View
		ranks, cycle []int
	}{
		"nobody waits":          {[]View{busy, busy}, nil, nil},
		"waits for a busy rank": {[]View{waits(false, 1), busy}, nil, nil},
		"two for each other":    {[]View{waits(false, 1), waits(false, 0)}, []int{0, 1}, []int{0, 1}},
		"cycle and who hangs on it": {[]View{waits(false, 1), waits(false, 2), waits(false, 1)},
			[]int{0, 1, 2}, []int{1, 2}},
		"itself":           {[]View{waits(false, 0)}, []int{0}, []int{0}},
		"any, one is busy": {[]View{waits(true, 1, 2), waits(false, 0), busy}, nil, nil},
		"any, all wait for it": {[]View{waits(true, 1, 2), waits(false, 0), waits(false, 0)},
			[]int{0, 1, 2}, []int{0, 1}},
		"all of, one waits for it":   {[]View{waits(false, 1, 2), waits(false, 0), busy}, []int{0, 1}, []int{0, 1}},
		"for a finalized rank":       {[]View{waits(false, 1), final}, []int{0}, nil},
		"for a rank that has gone":   {[]View{waits(false, 1), gone}, nil, nil},
		"any, but nobody else is":    {[]View{waits(true)}, []int{0}, nil},
		"a long message":             {[]View{message(OpSend, 1, 5), message(OpRecv, 0, 5)}, nil, nil},
		"likewise, of any tag":       {[]View{message(OpRecv, 1, -1), message(OpSend, 0, 5)}, nil, nil},
		"another tag":                {[]View{message(OpSend, 1, 5), message(OpRecv, 0, 6)}, []int{0, 1}, []int{0, 1}},
		"to one in a wait for any":   {[]View{message(OpSend, 1, 5), anyReceive(4)}, nil, nil},
		"which names its ranks":      {[]View{message(OpSend, 1, 5), anyReceive(4, 0)}, nil, nil},
		"in another context":         {[]View{message(OpSend, 1, 5), anyReceive(3, 0)}, []int{0, 1}, []int{0, 1}},
		"both send":                  {[]View{message(OpSend, 1, 5), message(OpSend, 0, 5)}, []int{0, 1}, []int{0, 1}},
		"a record out of its bounds": {[]View{waits(false, 7)}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.views {
				c.views[i].Rank = i
			}
			ranks, cycle := Deadlocked(c.views)
			require.Equal(t, c.ranks, ranks)
			require.Equal(t, c.cycle, cycle)
		})
	}
}

// Against the definition: a set of ranks is dead if nothing outside it can help.
func TestDeadlockedIsAFixedPoint(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		views := make([]View, 1+random.IntN(7))
		for i := range views {
			if random.IntN(4) == 0 {
				views[i] = View{State: StateInit}
				continue
			}
			v := waits(random.IntN(2) == 0)
			for range 1 + random.IntN(3) {
				v.For = append(v.For, random.IntN(len(views)))
			}
			views[i] = v
		}
		dead := map[int]bool{}
		ranks, cycle := Deadlocked(views)
		for _, r := range ranks {
			dead[r] = true
		}
		for i, v := range views {
			blocked, helped := 0, 0
			for _, p := range v.For {
				if dead[p] {
					blocked++
				} else {
					helped++
				}
			}
			stuck := v.Waits && (v.Any && helped == 0 || !v.Any && blocked > 0)
			require.Equal(t, stuck, dead[i], "rank %d of %+v", i, views)
		}
		for i, r := range cycle {
			require.Contains(t, views[r].For, cycle[(i+1)%len(cycle)])
		}
		require.Equal(t, len(ranks) > 0, len(cycle) > 0)
	}
}
