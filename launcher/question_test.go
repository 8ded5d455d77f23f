package launcher

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// When the time is over, a job that already ends is not asked what its ranks do.
func TestTimeoutOfAJobThatEnds(t *testing.T) {
	for _, ends := range []bool{false, true} {
		late := make(chan time.Time, 1)
		late <- time.Now()
		s := &supervisor{plan: &plan{job: &Job{Timeout: time.Second}}, events: events{timeout: late},
			ranks: rosterOf(1, 1), io: streamsOf(&Job{})}
		s.fate = fate.Fate{Ending: ends, Effects: fate.Effects{Say: func(string, ...any) {}}}
		m, err := job.InHeap(job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1})
		require.NoError(t, err)
		m.Root().SetState(0, job.StateInit)
		s.watch = watch.New(s.ranks, false, time.Second, true)
		s.watch.Begin(m.Root())
		require.Empty(t, s.watch.Ask(false), "rank 0 does not answer: the question is open")
		require.False(t, s.next(nil))
		steps := s.watch.EndAnswers()
		require.Len(t, steps, 1)
		require.Equal(t, !ends, steps[0].TimedOut)
	}
}
