package roster

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// script is a table whose signals are noted.
type script struct {
	*testing.T
	*Table
	sent []string
}

func newScript(t *testing.T, p *part.Part, here, total, guest int) *script {
	s := &script{T: t, Table: New(p, here, total, guest)}
	s.kill = func(pid int, sig syscall.Signal) error {
		s.sent = append(s.sent, fmt.Sprint(pid, " ", sig))
		return nil
	}
	return s
}

// signals are those that were sent since the last call.
func (s *script) signals() string {
	slices.Sort(s.sent)
	text := strings.Join(s.sent, ", ")
	s.sent = nil
	return text
}

// A rank whose end is heard of before its pid has ended all the same. One that ends after it was introduced is known.
func TestEndBeforeThePidIsKnown(t *testing.T) {
	s := newScript(t, nil, 2, 2, 0)
	_, known := s.Ended(host.Exit{Pid: 11, Status: 256})
	require.False(t, known)
	e, ended := s.Started(0, 11, time.Now())
	require.True(t, ended)
	rank, known := s.Ended(e)
	require.True(t, known)
	require.Zero(t, rank)
	require.Zero(t, s.Alive())

	s.ForgetEarly() // an orphan had the number that the next rank gets
	_, ended = s.Started(1, 11, time.Now())
	require.False(t, ended)
	require.Equal(t, 1, s.Alive())
	s.Signal(syscall.SIGUSR1)
	require.Equal(t, "-11 user defined signal 1", s.signals())
	require.Equal(t, []int{1}, s.Lost())
	require.Zero(t, s.Alive())
}

// A world ends without the others. A rank that will never be started has no process to end.
func TestWorldsEndByThemselves(t *testing.T) {
	p := &part.Part{Ranks: []int{1, 3}, Nodes: []int{1, 0, 1, 0}}
	s := newScript(t, p, 2, 4, 0)
	s.Started(0, 11, time.Now())
	s.Started(1, 12, time.Now())
	require.False(t, s.Several())
	late := job.World{Number: s.Next(), First: 4, Size: 3, Parent: 1}
	p.Ranks = append(p.Ranks, 5, 6)
	s.Add(late, 2)
	require.True(t, s.Several())
	require.Equal(t, Seat{Rank: 1, Number: 3, InWorld: 3, Local: 1}, s.Seat(1))
	require.Equal(t, Seat{Rank: 2, Number: 5, InWorld: 1, Local: 0}, s.Seat(2))
	require.Equal(t, []int{2, 3}, s.Here(late))
	s.Started(2, 13, time.Now())

	require.Equal(t, 1, s.EndWorld(late))
	require.Equal(t, "-13 continued, -13 terminated", s.signals())
	require.True(t, s.Ending(2))
	require.False(t, s.Ending(1))
	require.Empty(t, s.Drop(late), "its ends are seen to already")
	require.Equal(t, "-13 killed", s.signals())

	next := job.World{Number: s.Next(), First: 7, Size: 1}
	p.Ranks = append(p.Ranks, 7)
	s.Add(next, 1)
	require.Equal(t, []int{4}, s.Drop(next))
	require.Empty(t, s.signals())
	require.Equal(t, []int{11, 12, 13, 0, 0}, s.Pids())
}

// A guest may be in a process group with others, until it has ended.
func TestGuest(t *testing.T) {
	s := newScript(t, nil, 1, 1, 21)
	s.Started(0, s.Guest(), time.Now())
	s.Signal(syscall.SIGTERM)
	require.Equal(t, "21 terminated", s.signals())
	s.Ended(host.Exit{Pid: 21})
	require.Zero(t, s.Guest())
}
