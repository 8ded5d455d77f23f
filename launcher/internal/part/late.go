package part

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/node/job"
)

// A Late is a world that a rank has asked for, at one step of its start. One supervisor takes the steps one after
// another. In a job on several nodes the leader orders a step when all nodes concerned have done the last one. If a
// step fails on a node the leader gives up, and where the world was known orders the last one. The steps:
//
//	Find  the nodes that get ranks: look whether the programs can be started
//	Know  all nodes: from now on messages of the world's ranks are expected
//	Begin the nodes that get ranks: start them
//	Drop  likewise, but for nodes where Know has failed: end those that were started, since others were not
type Late struct {
	Step     Step
	World    job.World
	Commands []job.Command // N is how many ranks run each
	Nodes    []int         // of the ranks
	Instead  []job.Instead // the failed ranks for which they are started, if they are

	// How the rank was started that has asked: the others have its environment.
	Env   []string
	NoEnv bool
	Unset []string
	Nice  int
}

// A Step of the start of a world.
type Step int

const (
	Find Step = iota
	Know
	Begin
	Drop
)

// Local returns how many ranks of each command are on a node, and how many there are on it.
func (l *Late) Local(node int) (each []int, all int) {
	each = make([]int, len(l.Commands))
	for rank, at := range l.Nodes {
		if at == node {
			each[l.Command(rank)]++
			all++
		}
	}
	return each, all
}

// Command returns the number of the command that a rank of the world runs.
func (l *Late) Command(rank int) int {
	for i, c := range l.Commands {
		if rank -= c.N; rank < 0 {
			return i
		}
	}
	return len(l.Commands) - 1
}

// A LateDone says that a node has done a step, or why not.
type LateDone struct {
	Step Step
	Err  string // "": it is done
}

// Settle decides how many ranks of each command are started, where there is room for free more: as many as are asked
// for, or where there is no room for these as many as the program says will do. full says why there is no room.
func Settle(commands []job.Command, free int, full func() error) (size int, err error) {
	for i := range commands {
		c := &commands[i]
		switch {
		case c.Program == "":
			return 0, errors.New("the name of the program is empty: pass that of an executable file")
		case c.N < 1:
			return 0, fmt.Errorf("%s: %d ranks: at least 1 is needed", c.Program, c.N)
		}
		if c.Soft != "" {
			allowed, ok := job.Counts(c.Soft, min(c.N, free-size))
			if !ok {
				return 0, fmt.Errorf("%s: soft=%q is no list such as 2,4:8,16:64:16", c.Program, c.Soft)
			}
			if len(allowed) > 0 && allowed[0] > 0 {
				c.N = allowed[0]
			}
		}
		if size += c.N; size > free {
			return 0, full()
		}
	}
	return size, nil
}

// Most returns how many ranks a job may have in all that has room for so many. universe is Job.Universe.
func Most(universe, room int) int {
	if universe > 0 {
		return min(room, universe)
	}
	return room
}

// NoRoom says why a job with room for so many ranks, and which has had so many, gets no more.
func NoRoom(room, had int, recorded bool) error {
	why := "use pvasrun --universe N with a larger N"
	if recorded {
		why = "ranks that are recorded (--trace) start no others"
	}
	return fmt.Errorf("the job has room for %d ranks in all, and has had %d: %s", room, had, why)
}

// CountsOf returns how many ranks run each command.
func (l *Late) CountsOf() (counts []int) {
	for _, c := range l.Commands {
		counts = append(counts, c.N)
	}
	return counts
}
