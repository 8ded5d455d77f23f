package launcher

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// The supervisor of another job that does not answer is not waited for when this job ends.
func TestJobEndsBesideOneThatDoesNotAnswer(t *testing.T) {
	memory := jobtest.Create(t, job.Config{Ranks: 1, Places: 4, BTL: job.BTLSM, CPUs: 1})
	s := &supervisor{plan: &plan{job: &Job{}}, memory: memory, ranks: rosterOf(1, 11), io: streamsOf(&Job{})}
	s.watch = watch.New(s.ranks, false, time.Second, true)
	nodes, leave := context.WithCancel(t.Context())
	s.nodesEnd = nodes
	s.desk = desk.Open(neighbour.Own{Root: memory.Root(), Post: s.post, Until: nodes}, nil)
	s.events = newEvents(context.Background(), s.job)
	s.childEnd = nil // it has no children; those of an earlier test may have ended
	silent, err := neighbour.Open(41, 0)
	require.NoError(t, err)
	defer silent.Close()
	go s.post(func() { s.fate.Ending = true })
	_, q := s.desk.Others.Handle([]string{job.AskName, strconv.Itoa(silent.Number)})
	answer, err := await(s, q.Wait)
	require.Error(t, err)
	_, err = job.Granted(q.Answer(answer, err))
	require.ErrorIs(t, err, job.ErrPort)
	late, err := silent.Accept()
	require.NoError(t, err)
	defer late.Close()
	_, err = late.Greet(neighbour.Hello{})
	require.ErrorContains(t, err, "another version", "this job has waited until it lost patience")
	leave()
	s.desk.Others.Close()
}
