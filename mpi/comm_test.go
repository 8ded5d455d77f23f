package mpi

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// commCases are the behaviours of communicators, groups and topologies that the MPI
// standard asks for. They run with any number of ranks, over every BTL.
var commCases = []p2pCase{
	{"dup", dupSeparatesMessages},
	{"split", splitEvenAndOdd},
	{"split by any colors and keys", splitRandomly},
	{"split without a color", splitUndefined},
	{"split with a bad color", splitBadColor},
	{"calls do not fit", callsDoNotFit},
	{"split by type", splitByType},
	{"create group", createGroup},
	{"create groups at once", createGroupsAtOnce},
	{"create groups at random", createGroupsAtRandom},
	{"create from goroutines", createFromGoroutines},
	{"free", freeAndUse},
	{"free often", freeOften},
	{"free with a receive underway", freeWithReceive},
	{"free with operations underway", freeUnderway},
	{"names", names},
	{"attributes", attributes},
	{"only the world", onlyTheWorld},
	{"windows", windowsOnASplit},
	{"windows of other types", windowsOfOtherTypes},
	{"contiguous windows", contiguousWindows},
	{"grid", gridPlaces},
	{"grid shift", gridShift},
	{"grid sub", gridSub},
	{"grid too large", gridTooLarge},
	{"graph adjacent", graphAdjacent},
	{"graph", graphAnyEdges},
	{"graph with bad edges", graphBadEdges},
}

func commConformance(c *Comm) error {
	for _, k := range commCases {
		if only := os.Getenv("CASE"); only == "" || only == k.name {
			if err := runCase(c, k); err != nil {
				return err
			}
		}
	}
	if c.Size() > 6 {
		return nil // nothing new, and much of it
	}
	return overReversed(c)
}

// overReversed runs the cases of messages over the ranks of c in reverse.
func overReversed(c *Comm) error {
	r, err := c.Split(0, -c.Rank())
	if err != nil {
		return err
	}
	if err := want("rank", r.Rank(), c.Size()-1-c.Rank()); err != nil {
		return err
	}
	for _, k := range p2pCases {
		if err := runCase(r, k); err != nil {
			return fmt.Errorf("reversed: %w", err)
		}
	}
	return r.Free()
}

func TestCommunicatorsOverMem(t *testing.T) {
	const reversed = "messages over reversed ranks"
	cases := append(commCases, p2pCase{reversed, overReversed})
	for _, k := range cases {
		if testkit.Race && k.name == reversed {
			continue // TestConformanceOverMem has these messages, and numbers of ranks have no race
		}
		for _, kind := range testkit.Some(kinds...) {
			for _, ranks := range testkit.Counts(1, 2, 5) {
				t.Run(fmt.Sprintf("%s/%s/ranks=%d", k.name, kind, ranks), func(t *testing.T) {
					overMem(t, ranks, 1+7*(ranks%2), memKinds[kind], func(c *Comm) error { return runCase(c, k) })
				})
			}
		}
	}
}

func TestCommunicatorsInOneSpace(t *testing.T) {
	for _, ranks := range testkit.Counts(1, 2, 3, 6, 33) {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			inOneSpace(t, ranks, func(c *Comm) error {
				return errors.Join(commConformance(c), c.Finalize())
			})
		})
	}
}

func TestCommunicatorsOverProcesses(t *testing.T) {
	for _, ranks := range testkit.Counts(1, 2, 5, 12) {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			jobtest.Run(t, smJob(ranks), "communicators")
		})
	}
}

// TestOneRankIsLostInAnAgreement: whichever rank does not take part but leaves, all
// others get an error that names it.
func TestOneRankIsLostInAnAgreement(t *testing.T) {
	for _, ranks := range []int{2, 3, 8, 11} {
		for leaver := range ranks {
			t.Run(fmt.Sprintf("ranks=%d/leaver=%d", ranks, leaver), func(t *testing.T) {
				overMem(t, ranks, 2, mem.Options{}, func(c *Comm) error {
					r, err := c.Split(0, -c.Rank())
					if err != nil || c.Rank() == leaver {
						return err
					}
					_, err = r.Dup()
					lost, ok := errors.AsType[*LostError](err)
					if !ok {
						return fmt.Errorf("dup: %v", err)
					}
					return want("lost rank", lost.Rank, leaver)
				})
			})
		}
	}
}
