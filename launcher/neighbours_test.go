package launcher

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
)

// The supervisor of another job that does not answer is not waited for when this job ends.
func TestJobEndsBesideOneThatDoesNotAnswer(t *testing.T) {
	memory := jobtest.Create(t, job.Config{Ranks: 1, Places: 4, BTL: job.BTLSM, CPUs: 1})
	s := &supervisor{plan: &plan{job: &Job{}}, memory: memory, ranks: rosterOf(1, 11)}
	nodes, leave := context.WithCancel(t.Context())
	s.nodesEnd = nodes
	s.events = newEvents(context.Background(), s.job)
	s.childEnd = nil // it has no children; those of an earlier test may have ended
	silent, err := neighbour.Open(41)
	require.NoError(t, err)
	defer silent.Close()
	go s.post(func() { s.fate.Ending = true })
	_, err = s.askOther(silent.Number, 0, []string{job.AskName, "1"})
	require.Error(t, err)
	late, err := silent.Accept()
	require.NoError(t, err)
	defer late.Close()
	_, err = late.Greet(s.hello())
	require.NoError(t, err, "this job has waited until it lost patience")
	leave()
	s.closeDoors()
	s.told.Wait()
}
