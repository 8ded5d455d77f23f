package gone

import (
	"iter"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/pml/match"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// places are the ranks of the tests: 0 to 3 are the world of rank 0, which asks, 4 and 5 another one.
const places, worldSize = 6, 4

// jobOf is a job, and the messages of its ranks that are on their way to rank 0.
type jobOf struct {
	count   atomic.Uint32
	ended   [places]bool
	final   [places]bool
	handed  uint64
	sending map[int]bool
	survive bool
}

func (j *jobOf) EventCounter() *atomic.Uint32 { return &j.count }
func (j *jobOf) Gone(rank int) bool           { return j.ended[rank] }
func (j *jobOf) Visits(int) bool              { return false }
func (j *jobOf) OtherJob(int) string          { return "" }
func (j *jobOf) Settings() job.Settings       { return job.Settings{Survive: j.survive} }

func (j *jobOf) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rank := range places {
			if !yield(rank) {
				return
			}
		}
	}
}

func (j *jobOf) State(rank int) job.State {
	if j.final[rank] {
		return job.StateFinal
	}
	return job.StateInit
}

func (j *jobOf) World(rank int) job.World {
	if rank < worldSize {
		return job.World{First: 0, Size: worldSize}
	}
	return job.World{First: worldSize, Size: places - worldSize}
}

// end has ranks end, after Finalize or without.
func (j *jobOf) end(final bool, ranks ...int) {
	for _, rank := range ranks {
		j.ended[rank], j.final[rank] = true, final
		j.count.Add(1)
	}
}

func (j *jobOf) look(r *Ranks) bool {
	return r.Look(false, func() {}, func() uint64 { return j.handed }, func(do func(int)) {
		for rank := range j.sending {
			do(rank)
		}
	})
}

func start() (*jobOf, *Ranks) {
	j, r := &jobOf{sending: map[int]bool{}}, &Ranks{}
	r.Init(j, 0, places)
	return j, r
}

// lost requires that what waits for a peer in a context fails for a rank.
func lost(t *testing.T, r *Ranks, context uint32, peer int32, rank int) {
	t.Helper()
	var e *fault.LostError
	require.ErrorAs(t, r.Error(context, peer), &e)
	require.Equal(t, rank, e.Rank)
}

func TestNobodyHasGone(t *testing.T) {
	_, r := start()
	require.False(t, r.News())
	require.False(t, r.Any())
	require.NoError(t, r.Error(0, match.AnySource))
}

// A rank that has gone is dead when all of its messages were handed over. What names it fails then, and nothing else.
func TestDeadWhenItsMessagesAreIn(t *testing.T) {
	j, r := start()
	j.sending[1] = true
	j.end(true, 1)
	require.True(t, r.News())
	require.True(t, j.look(r))
	require.True(t, r.News())
	require.NoError(t, r.Error(0, 1), "a message of it may be there")
	require.False(t, j.look(r), "nothing was handed over: nothing can have changed")
	delete(j.sending, 1)
	j.handed++
	require.True(t, j.look(r))
	require.False(t, r.News())
	lost(t, r, 0, 1, 1)
	require.NoError(t, r.Error(0, 2))
	require.NoError(t, r.Error(0, match.AnySource), "others may send")
	require.NoError(t, r.Error(0, match.ProcNull))
}

// From any source: a rank without Finalize may have been the one to send. If all have ended well nobody is left.
func TestAnySource(t *testing.T) {
	j, r := start()
	j.end(true, 1, 2)
	require.True(t, j.look(r))
	require.NoError(t, r.Error(0, match.AnySource))
	j.end(true, 3)
	require.True(t, j.look(r))
	lost(t, r, 0, match.AnySource, 1)

	j, r = start()
	j.end(false, 2)
	require.True(t, j.look(r))
	lost(t, r, 0, match.AnySource, 2)
	require.NoError(t, r.Error(0, 1))
}

// Where ranks of other worlds may send, the circle of the context counts, and the own world does not.
func TestCircle(t *testing.T) {
	const own, other, open = 1, 2, 3
	j, r := start()
	r.Among(other, []int32{0, 4, 5})
	r.Among(open, []int32{})
	j.end(false, 1)
	require.True(t, j.look(r))
	lost(t, r, own, match.AnySource, 1)
	require.NoError(t, r.Error(other, match.AnySource), "the circle is whole")
	require.NoError(t, r.Error(open, match.AnySource), "its ranks are not known yet")
	j.end(false, 5)
	require.True(t, j.look(r))
	lost(t, r, other, match.AnySource, 5)
	r.Among(other, nil)
	lost(t, r, other, match.AnySource, 1)
}

// In a job that survives a receive from any source is pending while a failure in its circle is not acknowledged. When
// all others are dead it fails. A rank that has ended well need not be acknowledged.
func TestPendingUntilAcknowledged(t *testing.T) {
	const context, other = 1, 2
	j, r := start()
	j.survive = true
	r.Init(j, 0, places)
	r.Among(context, []int32{0, 1, 2, 3})
	r.Among(other, []int32{0, 1})
	j.end(false, 2)
	j.end(true, 3)
	require.True(t, j.look(r))
	pending := func(context uint32, rank int) {
		t.Helper()
		require.NoError(t, r.Error(context, match.AnySource))
		var e *fault.PendingError
		require.ErrorAs(t, r.Pending(context, match.AnySource), &e)
		require.Equal(t, rank, e.Lost.Rank)
		var l *fault.LostError
		require.ErrorAs(t, r.Failure(context, match.AnySource), &l)
		require.NotErrorAs(t, r.Failure(context, match.AnySource), &e)
	}
	pending(context, 2)
	require.NoError(t, r.Pending(context, 1))
	require.NoError(t, r.Pending(other, match.AnySource), "nobody there has failed")
	lost(t, r, context, 2, 2)
	require.Equal(t, 1, r.Acknowledge(context, []int32{2}))
	require.Equal(t, 1, r.Acknowledge(context, nil), "what is acknowledged stays so")
	require.Zero(t, r.Acknowledge(other, nil))
	require.NoError(t, r.Failure(context, match.AnySource))
	lost(t, r, context, 2, 2)

	j.end(false, 1)
	require.True(t, j.look(r))
	pending(context, 1)
	pending(other, 1)
	r.Acknowledge(context, []int32{2, 1})
	require.NoError(t, r.Pending(context, match.AnySource))
	lost(t, r, context, match.AnySource, 3)
}
