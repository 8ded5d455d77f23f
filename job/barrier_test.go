package job

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBarrierOrders runs ranks as goroutines over Go memory. What a rank writes
// before a barrier others read after it, by plain accesses: the race detector
// would see a barrier that does not order them, the counts one that lets through.
func TestBarrierOrders(t *testing.T) {
	for _, ranks := range []int{1, 2, 5, 16} {
		for _, cpus := range []int{1, 64} { // without spinning, and with
			r := testRoot(t, Config{Ranks: ranks, CPUs: cpus})
			const rounds = 100
			progress := make([]int, ranks)
			var wg sync.WaitGroup
			for me := range ranks {
				wg.Go(func() {
					for round := 1; round <= rounds; round++ {
						progress[me] = round
						if err := r.Barrier(me); err != nil {
							t.Error(err)
							return
						}
						for peer, p := range progress {
							if p != round {
								t.Errorf("rank %d after barrier %d: rank %d is at %d", me, round, peer, p)
							}
						}
						if err := r.Barrier(me); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		}
	}
}

// lostIn requires err to name the rank.
func lostIn(t testing.TB, err error, rank int) {
	t.Helper()
	var lost *LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, rank, lost.Rank)
}

// TestDeathAtEachStep lets rank 0 do the first steps of Barrier and no more, while
// the others wait; see the argument at Barrier.
func TestDeathAtEachStep(t *testing.T) {
	const ranks = 4
	countIn := func(r *Root) { r.head.arrivals.Add(1) }
	noteArrival := func(r *Root) { r.ranks[0].arrived.Add(1) }
	for _, c := range []struct {
		name  string
		steps []func(*Root)
		ok    bool // the barrier is complete in spite of the death
	}{
		{"before B2", nil, false},
		{"between B2 and B3", []func(*Root){countIn}, true},
		{"before the signal", []func(*Root){countIn, noteArrival}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := testRoot(t, Config{Ranks: ranks})
			errs := make([]error, ranks)
			var wg sync.WaitGroup
			for me := 1; me < ranks; me++ {
				wg.Go(func() { errs[me] = r.Barrier(me) })
			}
			for r.head.arrivals.Load() != ranks-1 {
				runtime.Gosched() // until the others have arrived
			}
			for _, step := range c.steps {
				step(r)
			}
			r.MarkGone(0)
			wg.Wait()
			for _, err := range errs[1:] {
				if c.ok {
					require.NoError(t, err)
				} else {
					lostIn(t, err, 0)
				}
			}
			for me := 1; me < ranks; me++ { // the next one fails at once, for all
				lostIn(t, r.Barrier(me), 0)
			}
		})
	}
}

// TestDeathAmongTheFirst: rank 0 dies between counting itself and noting it, when
// the others have not arrived. They must agree to disagree, but not wait.
func TestDeathAmongTheFirst(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3})
	r.head.arrivals.Add(1)
	r.MarkGone(0)
	lostIn(t, r.Barrier(1), 0)
	lostIn(t, r.Barrier(2), 0)
	lostIn(t, r.Barrier(1), 0)
}

// TestNoFalseSuccessAfterALoss: a rank that goes on after an error must not be
// counted as another's arrival.
func TestNoFalseSuccessAfterALoss(t *testing.T) {
	r := testRoot(t, Config{Ranks: 3})
	r.MarkGone(2)
	for range 5 {
		lostIn(t, r.Barrier(0), 2)
	}
	lostIn(t, r.Barrier(1), 2)
	require.Zero(t, r.head.arrivals.Load())
}

// TestTheFirstDeathIsNamed: rank 2 has died, ranks 0 and 3 have left because of
// that; rank 1, late, learns of the cause and not of a consequence.
func TestTheFirstDeathIsNamed(t *testing.T) {
	r := testRoot(t, Config{Ranks: 4})
	for _, rank := range []int{2, 0, 3} {
		r.MarkGone(rank)
	}
	lostIn(t, r.Barrier(1), 2)
}

// TestOneThatArrivedAndLeft does not disturb those who still wait for others.
func TestOneThatArrivedAndLeft(t *testing.T) {
	r := testRoot(t, Config{Ranks: 2})
	done := make(chan error)
	go func() { done <- r.Barrier(0) }()
	for r.ranks[0].arrived.Load() == 0 {
		runtime.Gosched()
	}
	r.MarkGone(0)
	require.NoError(t, r.Barrier(1))
	require.NoError(t, <-done)
}

// TestRandomDeaths kills random ranks at random barriers: all others get an error
// that names one of the dead, and none of them gets through a barrier that a dead
// one did not enter.
func TestRandomDeaths(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 100 {
		ranks := 2 + rng.IntN(5)
		r := testRoot(t, Config{Ranks: ranks, CPUs: 1 + rng.IntN(8)})
		deadline := make([]int, ranks) // barriers a rank enters before it dies; 0: it does not die
		first := 0
		for range 1 + rng.IntN(ranks-1) {
			d := 1 + rng.IntN(20)
			deadline[rng.IntN(ranks)] = d
		}
		for _, d := range deadline {
			if d != 0 && (first == 0 || d < first) {
				first = d
			}
		}
		var wg sync.WaitGroup
		for me := range ranks {
			wg.Go(func() {
				for passed := 0; ; passed++ {
					if deadline[me] != 0 && passed == deadline[me] {
						r.MarkGone(me)
						return
					}
					err := r.Barrier(me)
					if err == nil {
						continue
					}
					if passed != first {
						t.Errorf("rank %d passed %d barriers, the first death is after %d", me, passed, first)
					}
					lost, ok := lostRank(err)
					if !ok || deadline[lost] != first {
						t.Errorf("rank %d: %v, deaths %v", me, err, deadline)
					}
					return
				}
			})
		}
		wg.Wait()
	}
}

func TestBarrierAllocatesNothing(t *testing.T) {
	r := testRoot(t, Config{Ranks: 1})
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = r.Barrier(0) }))
}

func BenchmarkBarrier(b *testing.B) {
	for _, c := range []struct {
		name        string
		ranks, cpus int
	}{{"ranks=1/spin=yes", 1, 1}, {"ranks=2/spin=yes", 2, 2}, {"ranks=2/spin=no", 2, 1}, {"ranks=16/spin=no", 16, 2}} {
		b.Run(c.name, func(b *testing.B) {
			r := testRoot(b, Config{Ranks: c.ranks, CPUs: c.cpus})
			var wg sync.WaitGroup
			for me := range c.ranks {
				wg.Go(func() {
					for range b.N {
						if err := r.Barrier(me); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
