package coll

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestMain(m *testing.M) {
	jobtest.Main(m, map[string]func() error{"trials": inProcess(trials), "until death": inProcess(untilDeath)})
}

// world is the team of all ranks of a job.
func world(root *job.Root, rank int, r colltest.Rank) *Team {
	return &Team{Engine: r.Engine, Job: r.Job, Context: 1, Inner: 2, Rank: rank, Size: root.Ranks(),
		Choice: Choice{Reproducible: true}}
}

// run runs all ranks. A rank that returns errGone goes without Finalize.
func run(t testing.TB, root *job.Root, rankOf func(int) colltest.Rank, f func(*Team) error) []error {
	t.Helper()
	var all []colltest.Rank
	for rank := range root.Ranks() {
		all = append(all, rankOf(rank))
		root.SetState(rank, job.StateInit)
	}
	errs := make([]error, root.Ranks())
	var wg sync.WaitGroup
	for rank, r := range all {
		wg.Go(func() {
			errs[rank] = f(world(root, rank, r))
			if !errors.Is(errs[rank], errGone) {
				root.SetState(rank, job.StateFinal)
			}
			root.MarkGone(rank)
		})
	}
	wg.Wait()
	return errs
}

var errGone = errors.New("gone")

// inProcess makes a program of a rank.
func inProcess(f func(*Team) error) func() error {
	return func() error {
		place, r, err := colltest.Join()
		if err != nil {
			return err
		}
		root := place.Memory.Root()
		if err := f(world(root, place.Rank, r)); err != nil {
			return err
		}
		root.SetState(place.Rank, job.StateFinal)
		return nil
	}
}

// trials makes calls drawn from TEST_SEED in the world, and in a part of it with the
// order reversed.
func trials(w *Team) error {
	seed, err := strconv.ParseUint(os.Getenv(testkit.EnvSeed), 10, 64)
	if err != nil {
		return err
	}
	return try(w, seed, 60, 200<<10)
}

func try(w *Team, seed uint64, calls, most int) error {
	teams := []*Team{w, split(w, 2), byNode(w), shuffled(w, seed)}
	for i := range calls {
		t := teams[i%len(teams)]
		d := newDraw(seed + uint64(i)<<32)
		kind := Barrier + Kind(d.IntN(int(kinds-Barrier)))
		names := Algorithms(kind)
		t.Choice = Choice{Reproducible: true}
		if i := d.IntN(2 * len(names)); i < len(names) {
			t.Choice.Blocking[kind] = names[i]
		}
		if err := plot(d, kind, t.Size, t.Rank, most).attempt(t); err != nil {
			return fmt.Errorf("seed %d, call %d: %w", seed, i, err)
		}
	}
	return nil
}

// byNode returns the team of all ranks in which those of a node follow one another.
func byNode(w *Team) *Team {
	order := make([]int32, w.Size)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return w.Job.Node(int(a)) - w.Job.Node(int(b)) })
	return inOrder(w, order, 13)
}

// shuffled returns the team of all ranks in any order.
func shuffled(w *Team, seed uint64) *Team {
	var order []int32
	for _, rank := range newDraw(seed).Perm(w.Size) {
		order = append(order, int32(rank))
	}
	return inOrder(w, order, 15)
}

// inOrder returns the team of these ranks, with two contexts.
func inOrder(w *Team, order []int32, context uint32) *Team {
	return &Team{
		Engine: w.Engine, Job: w.Job, Context: context, Inner: context + 1,
		Rank: slices.Index(order, int32(w.Rank)), Size: len(order), World: order,
		Choice: Choice{Reproducible: true},
	}
}

// split returns the team of the ranks whose number has the same rest, in reverse.
func split(w *Team, n int) *Team {
	mine := w.Rank % n
	t := &Team{Engine: w.Engine, Job: w.Job, Context: uint32(5 + 4*mine), Inner: uint32(6 + 4*mine),
		Choice: Choice{Reproducible: true}}
	for rank := w.Size - 1; rank >= 0; rank-- {
		if rank%n == mine {
			if rank == w.Rank {
				t.Rank = len(t.World)
			}
			t.World = append(t.World, int32(rank))
		}
	}
	t.Size = len(t.World)
	return t
}

// TestAgainstNaiveModel: all kinds of calls, by all algorithms, with few ranks, with many,
// and with much to move.
func TestAgainstNaiveModel(t *testing.T) {
	seed := testkit.Seed(t)
	d := newDraw(seed)
	type size struct{ ranks, calls, most int }
	var sizes []size
	for ranks := 1; ranks <= 8; ranks++ {
		sizes = append(sizes, size{ranks, 200, 60 << 10})
	}
	sizes = append(sizes, size{9 + d.IntN(8), 60, 20 << 10}, size{17 + d.IntN(15), 40, 20 << 10},
		size{33, 30, 10 << 10},
		size{2 + d.IntN(2), 20, 4 << 20}, size{4 + d.IntN(3), 10, 4 << 20})
	for i, size := range sizes {
		size.calls = testkit.Rounds(size.calls)
		if testkit.Race {
			size.most = min(size.most, 20<<10)
		}
		for _, maker := range testkit.Turn(i, colltest.Worlds...) {
			t.Run(fmt.Sprintf("%s/ranks=%d/bytes=%d", maker.Name, size.ranks, size.most), func(t *testing.T) {
				root, rankOf := maker.Start(t, size.ranks, 2+i%2*6) // fewer CPUs than ranks, or more
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					return try(w, seed+uint64(i), size.calls, size.most)
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			})
		}
	}
}

func TestAgainstNaiveModelAcrossProcesses(t *testing.T) {
	seed := testkit.Seed(t)
	for i, ranks := range []int{2, 5, 8, 3} {
		c := job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2 + i/3}
		jobtest.Run(t, c, "trials", fmt.Sprintf("%s=%d", testkit.EnvSeed, seed))
	}
}
