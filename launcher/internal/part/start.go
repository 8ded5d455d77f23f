package part

import (
	"fmt"
	"slices"
	"strings"
)

// A Start is the start of a world on several nodes, as the leader sees it. It says which nodes take which step (see
// Late), and how the start ends. Nodes have numbers.
//
//	Find --> Know --> Begin --> started
//	 |        |         |
//	 v        +-> Drop <+
//	failed <-------+
type Start struct {
	*Late
	waits   []int // have not done the step
	missing []int // do not know of the world
	err     error // of a step
}

// Order begins a step on the nodes that are there. It returns those that are to take it, and those whose ranks never
// begin: they do not know of the world.
func (s *Start) Order(step Step, live []int) (nodes, never []int) {
	s.Step = step
	for _, node := range live {
		_, ranks := s.Local(node)
		switch {
		case ranks == 0 && step != Know:
		case slices.Contains(s.missing, node):
			never = append(never, node)
		default:
			nodes = append(nodes, node)
		}
	}
	s.waits = slices.Clone(nodes)
	return nodes, never
}

// Counts tells whether the ranks of a node that takes the step count as alive from now on: the node then tells of their
// ends. Drop has them end as well if no node has begun them.
func (s *Start) Counts() bool { return s.Step == Begin || s.Step == Drop && len(s.missing) > 0 }

// Done notes that a node has done the step. It returns the step that is to be ordered next, if ok is true. ends tells
// that ranks of the world end, which concerns no other world.
func (s *Start) Done(node int, name string, d *LateDone) (next Step, ok, ends bool) {
	i := slices.Index(s.waits, node)
	if i < 0 {
		return 0, false, false
	}
	s.waits = slices.Delete(s.waits, i, i+1)
	if d.Err != "" {
		if s.err == nil {
			s.err = fmt.Errorf("node %s: %s", name, strings.TrimPrefix(d.Err, "launcher: "))
		}
		if d.Step == Know {
			s.missing = append(s.missing, node)
		}
		ends = d.Step >= Know
	}
	switch {
	case len(s.waits) > 0:
	case s.err != nil && (d.Step == Know || d.Step == Begin):
		return Drop, true, ends
	case s.err == nil && d.Step < Begin:
		return d.Step + 1, true, ends
	}
	return 0, false, ends
}

// Over tells whether the start has come to its end, and how.
func (s *Start) Over() (over bool, err error) {
	return len(s.waits) == 0 && (s.err != nil || s.Step == Begin), s.err
}
