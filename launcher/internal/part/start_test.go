package part

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// startScript is the start of a world with a rank each on nodes 0 and 2 of three.
type startScript struct {
	*testing.T
	*Start
}

func newStart(t *testing.T) startScript {
	return startScript{t, &Start{Late: &Late{Commands: []job.Command{{N: 2}}, Nodes: []int{0, 2}}}}
}

// order has a step taken by nodes.
func (s startScript) order(step Step, want ...int) (never []int) {
	nodes, never := s.Order(step, []int{0, 1, 2})
	require.Equal(s, want, nodes)
	return never
}

// done has a node say what has come of the step, and returns what follows: a step, or -1.
func (s startScript) done(node int, err string) (next Step, ends bool) {
	next, ok, ends := s.Done(node, "n", &LateDone{Step: s.Step, Err: err})
	if !ok {
		return -1, ends
	}
	return next, ends
}

// follows has a node do the step well.
func (s startScript) follows(node int, want Step) {
	next, ends := s.done(node, "")
	require.Equal(s, want, next)
	require.False(s, ends)
}

func (s startScript) over(want bool, text string) {
	over, err := s.Over()
	require.Equal(s, want, over)
	if text != "" {
		require.EqualError(s, err, text)
	} else {
		require.NoError(s, err)
	}
}

// The nodes that get ranks look for programs and start them. All have to know of the world in between.
func TestWorldStarts(t *testing.T) {
	s := newStart(t)
	s.order(Find, 0, 2)
	s.follows(2, -1)
	s.follows(2, -1) // it is told once
	s.over(false, "")
	s.follows(0, Know)
	s.order(Know, 0, 1, 2)
	require.False(t, s.Counts())
	s.follows(0, -1)
	s.follows(1, -1)
	s.follows(2, Begin)
	s.order(Begin, 0, 2)
	require.True(t, s.Counts())
	s.follows(0, -1)
	s.follows(2, -1)
	s.over(true, "")
}

// A program that a node does not find ends the start: nobody knows of the world.
func TestWorldWithoutProgram(t *testing.T) {
	s := newStart(t)
	s.order(Find, 0, 2)
	next, ends := s.done(0, "launcher: no such program")
	require.Equal(t, Step(-1), next)
	require.False(t, ends)
	s.over(false, "node n: no such program")
	s.follows(2, -1)
	s.over(true, "node n: no such program")
}

// A node that cannot start its ranks has the others end theirs.
func TestWorldThatDoesNotBegin(t *testing.T) {
	s := newStart(t)
	s.order(Begin, 0, 2)
	next, ends := s.done(2, "no memory")
	require.Equal(t, Step(-1), next)
	require.True(t, ends)
	next, _ = s.done(0, "")
	require.Equal(t, Drop, next)
	require.Empty(t, s.order(Drop, 0, 2))
	require.False(t, s.Counts(), "they count already")
	s.follows(0, -1)
	s.follows(2, -1)
	s.over(true, "node n: no memory")
}

// A node that does not know of the world has no ranks to drop. The ranks of the others never began, but they tell of
// their ends.
func TestWorldThatANodeDoesNotKnow(t *testing.T) {
	s := newStart(t)
	s.order(Know, 0, 1, 2)
	s.follows(0, -1)
	s.follows(1, -1)
	next, ends := s.done(2, "no room")
	require.Equal(t, Drop, next)
	require.True(t, ends)
	require.Equal(t, []int{2}, s.order(Drop, 0))
	require.True(t, s.Counts())
	s.follows(0, -1)
	s.over(true, "node n: no room")
}
