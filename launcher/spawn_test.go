package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// A job that survives has as many ranks at a time as its universe says, and after one another as many as it has places.
// Its refusal names what has run out.
func TestRoomOfJobThatSurvives(t *testing.T) {
	places := job.MostNumbered + 4
	memory := jobtest.Create(t, job.Config{Ranks: 2, Places: places, BTL: job.BTLSM, CPUs: 1})
	j := &Job{Universe: 3, Settings: job.Settings{Survive: true}}
	s := &supervisor{plan: &plan{job: j, size: 2}, memory: memory, ranks: rosterOf(2, 11, 12)}
	s.starter.places = places
	require.Equal(t, 1, s.free())
	require.ErrorContains(t, s.noRoom(), "room for 3 ranks at a time, and has 2: use pvasrun --universe")
	j.Universe = 0
	require.Equal(t, job.UsualRoom-2, s.free())
	memory.Root().SetJobNumber(1)
	require.Equal(t, job.MostNumbered-2, s.free())
	require.ErrorContains(t, s.noRoom(), "room for 256 ranks in all, and has had 2")
}
