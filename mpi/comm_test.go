package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl/mem"
	"github.com/gopvas/gopvas/job/jobtest"
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
	{"names", names},
	{"attributes", attributes},
	{"only the world", onlyTheWorld},
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
		for kind, options := range memKinds {
			if raceEnabled && k.name == reversed && kind != "tight" {
				continue // TestConformanceOverMem has the others
			}
			for _, ranks := range counts(1, 2, 5) {
				t.Run(fmt.Sprintf("%s/%s/ranks=%d", k.name, kind, ranks), func(t *testing.T) {
					overMem(t, ranks, 1+7*(ranks%2), options, func(c *Comm) error { return runCase(c, k) })
				})
			}
		}
	}
}

func TestCommunicatorsInOneSpace(t *testing.T) {
	for _, ranks := range counts(1, 2, 3, 6, 33) {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			inOneSpace(t, ranks, func(c *Comm) error {
				return errors.Join(commConformance(c), c.Finalize())
			})
		})
	}
}

func TestCommunicatorsOverProcesses(t *testing.T) {
	processes(t)
	for _, ranks := range counts(1, 2, 5, 12) {
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

// TestIdsAreUsedUp: the error is for all, names the leader, and only for those that it
// was to lead.
func TestIdsAreUsedUp(t *testing.T) {
	overMem(t, 3, 2, mem.Options{}, func(c *Comm) error {
		if c.Rank() == 0 {
			c.contexts.next = c.contexts.end
		}
		_, err := c.Dup()
		if err := wantContains(err, "rank 0 has been rank 0 of too many communicators"); err != nil {
			return err
		}
		r, err := c.Split(0, -c.Rank()) // rank 2 leads
		if err != nil {
			return err
		}
		return r.Barrier()
	})
}

func TestIdsDoNotOverlap(t *testing.T) {
	for _, size := range []int{1, 2, 3, 64, 1000, 4096} {
		last := uint32(worldID)
		for rank := range size {
			c := newContexts(rank, size)
			require.Greater(t, c.next, last, "rank %d of %d", rank, size)
			require.Greater(t, c.end-c.next, uint32(1)<<16)
			require.Less(t, c.end-1, uint32(1)<<idBits)
			last = c.end - 1
		}
	}
	c := newContexts(0, 1)
	a, b := c.take(), c.take()
	c.give(a)
	require.NotEqual(t, a, b)
	require.Equal(t, a, c.take(), "what nobody used is taken again")
	require.NotContains(t, []uint32{a, b, worldID}, c.take())
}

// TestDamagedAgreement: what arrives is looked at before it is believed.
func TestDamagedAgreement(t *testing.T) {
	for _, message := range []string{"", "\x01", "\x05\x00\x00\x00abcd", "\xff\xff\xff\xffabcd"} {
		_, err := split([]byte(message), 1)
		require.Error(t, err, "%q", message)
	}
	parts, err := split([]byte("\x02\x00\x00\x00ab\x00\x00\x00\x00"), 2)
	require.NoError(t, err)
	require.Equal(t, "ab/", string(parts[0])+"/"+string(parts[1]))
	_, err = decodeProposal([]byte(strings.Repeat("x", proposalSize-1)))
	require.Error(t, err)
	p := proposal{color: -1, key: -1 << 62, call: 1 << 63, id: 1<<32 - 1, refused: true, data: []byte("data")}
	back, err := decodeProposal(p.encode())
	require.NoError(t, err)
	require.Equal(t, p, back)
}
