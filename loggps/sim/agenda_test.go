package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// An agenda is a list that is sorted before each look: events come by time, then number,
// also those that are added again with an old number.
func TestAgendaAgainstSorting(t *testing.T) {
	rng := testkit.Rand(t)
	for range 200 {
		a, oracle := newAgenda(), []event(nil)
		number, now := uint32(0), 0.0
		delays := []float64{0, 1, 1, 5, 5, float64(rng.IntN(100)), rng.Float64()}
		for len(oracle) > 0 || number < 400 {
			for range rng.IntN(4) {
				if number >= 400 {
					break
				}
				ev := makeEvent(now+delays[rng.IntN(len(delays))], number, makeWhat(number, phaseArrive))
				number++
				a.add(ev)
				oracle = append(oracle, ev)
			}
			if len(oracle) == 0 {
				continue
			}
			first := slices.MinFunc(oracle, func(x, y event) int { return 1 - 2*less(&x, &y) })
			got := a.take()
			require.Equal(t, first, got)
			now = got.t
			i := slices.Index(oracle, first)
			oracle = slices.Delete(oracle, i, i+1)
			if rng.IntN(3) == 0 { // it is busy: later again, with the old number
				got.t += 1 + delays[rng.IntN(len(delays))]
				got = got.marked(markNIC)
				a.addAgain(got)
				oracle = append(oracle, got)
			}
		}
		assert.Equal(t, never, a.take())
	}
}

func TestEventFields(t *testing.T) {
	ev := makeEvent(1.5, 1<<32-1, makeWhat(1<<27-1, phaseData)).marked(markShared)
	assert.EqualValues(t, 1<<32-1, ev.number())
	assert.EqualValues(t, 1<<27-1, ev.id())
	assert.EqualValues(t, phaseData, ev.phase())
	assert.EqualValues(t, markShared, ev.mark())
	assert.EqualValues(t, markLane, ev.marked(markLane).mark())
}

// Those aside come out by number.
func TestAside(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a aside
	var want []waiter
	for range 1000 {
		w := waiter(rng.Uint64())
		want = append(want, w)
		a.put(w)
	}
	slices.Sort(want)
	for _, w := range want {
		require.Equal(t, w, a.take())
	}
}
