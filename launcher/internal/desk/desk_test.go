package desk

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// script is a job whose ranks are goroutines, and a desk that is looked at when one has asked.
type script struct {
	*testing.T
	*Desk
	asked chan os.Signal
}

func newScript(t *testing.T, p *part.Part) *script {
	m, err := job.InHeap(job.Config{Ranks: 2, Places: 4, Desk: true, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	m.Root().Attend()
	own := neighbour.Own{Root: m.Root(), Until: t.Context(), Post: func(func()) bool { return false }}
	s := &script{t, Open(own, p), make(chan os.Signal, 1)}
	signal.Notify(s.asked, syscall.SIGCHLD)
	t.Cleanup(func() { signal.Stop(s.asked) })
	return s
}

type answer struct {
	texts []string
	err   error
}

// ask has a rank ask. The supervisor hears of it.
func (s *script) ask(rank int, request ...string) chan answer {
	told := make(chan answer, 1)
	go func() {
		texts, err := s.root.Ask(rank, request...)
		told <- answer{texts, err}
	}()
	<-s.asked
	return told
}

// What needs nobody else is answered at once: names, refusals, and what no rank of this version asks for.
func TestAnswersAtOnce(t *testing.T) {
	s := newScript(t, nil)
	for _, c := range []struct {
		request []string
		err     error
	}{
		{[]string{job.AskOpenPort, "0"}, nil},
		{[]string{job.AskLookup, "nobody"}, job.ErrName},
		{[]string{job.AskMeet, "no port", "1"}, job.ErrPort},
		{[]string{"an unknown word"}, job.ErrSpawn},
	} {
		told := s.ask(1, c.request...)
		_, takes := s.Next()
		require.False(t, takes)
		require.ErrorIs(t, (<-told).err, c.err)
	}
}

// A request for ranks takes a turn. Nothing else is answered until its reply: what is asked meanwhile waits.
func TestOneTurnAfterTheOther(t *testing.T) {
	s := newScript(t, nil)
	told := s.ask(1, job.EncodeSpawn([]job.Command{{Program: "solver", N: 2}})...)
	turn, takes := s.Next()
	require.True(t, takes)
	require.Equal(t, &Spawn{1, []job.Command{{Program: "solver", Args: []string{}, N: 2}}, nil}, turn.Spawn)
	_, takes = s.Next()
	require.False(t, takes, "while events are handled")
	s.Reply(job.Grant("started"))
	require.Equal(t, answer{texts: []string{"started"}}, <-told)

	told = s.ask(0, job.AskLookup, "nobody")
	_, takes = s.Next()
	require.False(t, takes)
	require.ErrorIs(t, (<-told).err, job.ErrName)
}

// On one node of several the leader answers all.
func TestLeaderAnswers(t *testing.T) {
	s := newScript(t, &part.Part{})
	told := s.ask(1, job.AskLookup, "service")
	turn, takes := s.Next()
	require.True(t, takes)
	require.Equal(t, &part.Request{Rank: 1, Texts: []string{job.AskLookup, "service"}}, turn.Leader)
	s.Reply(job.Grant("port"))
	require.Equal(t, answer{texts: []string{"port"}}, <-told)
}
