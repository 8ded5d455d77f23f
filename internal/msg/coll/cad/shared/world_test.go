package shared

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// oneSpace is a module whose ranks are goroutines and share Go's heap, so that the race
// detector sees all that they do to one another. What a rank allocates outlives it, as in a job:
// the engine of another rank may have its address.
type oneSpace struct {
	btl.Module
	kept *kept
}

type kept struct {
	mu     sync.Mutex
	blocks [][]byte
}

func (oneSpace) Direct() bool { return true }

func (s oneSpace) Capabilities() btl.Capabilities { return btl.Capabilities{Memory: s} }

func (s oneSpace) Alloc(n int) ([]byte, uint64, error) {
	b := alignedHeap(n)
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.kept.blocks = append(s.kept.blocks, b)
	return b, cad.AddressOf(b), nil
}

// rank is one rank of a test.
type rank struct {
	*Engine
	world *cad.Channel
	pml   *pml.Engine
}

// start makes a job whose ranks are goroutines.
func start(t testing.TB, ranks int, direct bool, o Options) (*job.Root, []rank) {
	memory, err := job.InHeap(job.Config{Ranks: ranks, BTL: job.BTLPvas, CPUs: 2,
		Settings: job.Settings{Spin: testkit.Spin}})
	require.NoError(t, err)
	root := memory.Root()
	w := mem.New(root, mem.Options{})
	all, space := make([]rank, ranks), &kept{}
	for i := range all {
		var m btl.Module = w.Module(i)
		if direct {
			m = oneSpace{m, space}
		}
		messages := pml.New(root, i, m)
		root.SetProgram(i, 1)
		all[i] = rank{New(root, i, messages, o), &cad.Channel{Context: 7, Rank: i, Size: ranks}, messages}
	}
	return root, all
}

// eachRank runs f as every rank and returns the first error. A rank is marked as gone
// when f is over, as the supervisor does.
func eachRank(t testing.TB, root *job.Root, all []rank, f func(r rank) error) {
	t.Helper()
	var wg sync.WaitGroup
	errs := make([]error, len(all))
	for i, r := range all {
		wg.Go(func() {
			errs[i] = f(r)
			_ = r.pml.Close()
			r.Close()
			root.SetState(i, job.StateFinal)
			root.MarkGone(i)
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(5 * time.Minute):
		stacks := make([]byte, 1<<20)
		t.Fatalf("ranks do not come to an end:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
	require.NoError(t, errors.Join(errs...))
}

// do issues a graph and waits for it.
func (r rank) do(g *cad.Graph) error {
	request, err := r.Issue(r.world, g)
	if err != nil {
		return err
	}
	_, err = request.Wait()
	return err
}

var seeds = flag.Int("seeds", 60, "random programs per test")

// seed returns the seed of a test, which TEST_SEED sets.
func seed(t testing.TB) uint64 {
	s := rand.Uint64()
	if v := os.Getenv("TEST_SEED"); v != "" {
		var err error
		s, err = strconv.ParseUint(v, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("TEST_SEED=%d", s)
	return s
}
