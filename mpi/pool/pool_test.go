package pool_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/pool"
)

func TestMain(m *testing.M) {
	programs := map[string]func() error{}
	for name, f := range map[string]func(*mpi.Comm) error{
		"maps": maps, "failures": failures, "deaths": deaths, "rate": rate,
		"undecoded": undecoded, "early ends": earlyEnds,
	} {
		programs[name] = func() error {
			mpi.Run(f)
			return nil
		}
	}
	jobtest.Main(m, programs)
}

func config(ranks int) job.Config { return job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2} }

func TestMaps(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		jobtest.Run(t, config(ranks), "maps")
		jobtest.Run(t, config(ranks), "failures")
	}
}

func square(n int) (int, error) { return n * n, nil }

// numbers yields n of them, and says how many were taken.
func numbers(n int, taken *int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if *taken++; !yield(i) {
				return
			}
		}
	}
}

// maps: each input comes out once, in the order that was asked for.
func maps(c *mpi.Comm) error {
	for _, n := range []int{0, 1, 3, 5000} {
		taken := 0
		inputs := slices.Collect(numbers(n, &taken))
		got, err := pool.Map(c, inputs, square)
		if err != nil || len(got) != n*one(c.Rank() == 0) {
			return fmt.Errorf("%d results of %d: %w", len(got), n, err)
		}
		next, sum := 0, 0
		for r, err := range pool.Ordered(c, numbers(n, &taken), square) {
			if err != nil || r.Index != next || r.Value != next*next || got[next] != r.Value {
				return fmt.Errorf("result %d: %v, %w", next, r, err)
			}
			next++
		}
		seen := map[int]bool{}
		for r, err := range pool.Unordered(c, numbers(n, &taken), square) {
			if err != nil || seen[r.Index] || r.Value != r.Index*r.Index {
				return fmt.Errorf("a result: %v, %w", r, err)
			}
			seen[r.Index] = true
			sum++
		}
		if want := n * one(c.Rank() == 0); next != want || sum != want {
			return fmt.Errorf("%d and %d results, not %d", next, sum, want)
		}
	}
	taken, seen := 0, 0
	for range pool.Ordered(c, numbers(1<<40, &taken), square) {
		if seen++; seen == 10 {
			break
		}
	}
	if c.Rank() == 0 && taken > 10_000 {
		return fmt.Errorf("%d inputs were taken for 10 results", taken)
	}
	return c.Barrier()
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// failures: the errors of tasks have their index, and the other tasks are done.
func failures(c *mpi.Comm) error {
	inputs := make([]any, 100)
	for i := range inputs {
		inputs[i] = i
	}
	inputs[7], inputs[70] = make(chan int), "text"
	got, err := pool.Map(c, inputs, func(in any) (any, error) {
		switch n, _ := in.(int64); {
		case in == "text":
			panic("no number")
		case n == 30:
			return nil, errors.New("thirty")
		case n == 50:
			return func() {}, nil
		default:
			return n, nil
		}
	})
	if c.Rank() > 0 {
		return err
	}
	if c.Size() > 1 { // else nothing has to travel
		for _, text := range []string{"task 7: ", "task 30: thirty", "task 50: ", "task 70: panic: no number"} {
			if strings.Count(fmt.Sprint(err), text) != 1 {
				return fmt.Errorf("not once %q: %w", text, err)
			}
		}
		for i, x := range got {
			if bad := i == 7 || i == 30 || i == 50 || i == 70; bad != (x == nil) || !bad && x != int64(i) {
				return fmt.Errorf("result %d is %v", i, x)
			}
		}
	}
	if task, ok := errors.AsType[*pool.TaskError](err); !ok || inputs[task.Index] == nil {
		return fmt.Errorf("no task: %w", err)
	}
	_, err = pool.Map(c.Self(), []chan int{nil}, func(chan int) (int, error) { return 0, nil })
	if err == nil || !strings.Contains(err.Error(), "(pool_test.go:") {
		return fmt.Errorf("a channel is an input: %w", err)
	}
	return nil
}

// TestDeaths: the tasks of workers that die are done by others, at last by rank 0.
func TestDeaths(t *testing.T) {
	for _, ranks := range []int{2, 4} {
		k := config(ranks)
		k.Settings.Survive = true
		for rank, e := range jobtest.Start(t, k, "deaths").Wait() {
			if rank == 0 || rank == 3 {
				require.Zero(t, e.Code, e.Stderr)
			} else {
				require.Equal(t, syscall.SIGKILL, e.Signal)
			}
		}
	}
}

func deaths(c *mpi.Comm) error {
	if err := c.Barrier(); err != nil { // from here on the job survives
		return err
	}
	calls := 0
	got, err := pool.Map(c, make([]int, 300), func(int) (int, error) {
		if calls++; calls == 2 && (c.Rank() == 1 || c.Rank() == 2) {
			return 0, syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return 1, nil
	})
	if c.Rank() > 0 {
		return err
	}
	for i, n := range got {
		if n != 1 {
			return fmt.Errorf("task %d: %w", i, err)
		}
	}
	return err
}

// BenchmarkMap is the time of a task that does nothing.
func BenchmarkMap(b *testing.B) {
	for _, ranks := range []int{2, 4} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			for b.Loop() {
				out := jobtest.Run(b, config(ranks), "rate")
				var rate float64
				_, _ = fmt.Sscan(out[0], &rate)
				b.ReportMetric(rate, "tasks/s")
			}
		})
	}
}

func rate(c *mpi.Comm) error {
	const n = 100_000
	inputs := make([]int, n)
	start := time.Now()
	_, err := pool.Map(c, inputs, square)
	if c.Rank() == 0 {
		fmt.Println(n / time.Since(start).Seconds())
	}
	return err
}
