package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// p2pCase is one behaviour that the MPI standard asks for. It runs with any number of
// ranks, over every BTL: see CONFORMANCE.md.
type p2pCase struct {
	name string
	run  func(*Comm) error
}

var p2pCases = []p2pCase{
	{"send flood", sendFlood},
	{"probe unexpected", probeUnexpected},
	{"matched probe", matchedProbe},
	{"cancel receives", cancelReceives},
	{"send to self", sendToSelf},
	{"huge ssend", hugeSsend},
	{"ssend waits", ssendWaits},
	{"wildcards", wildcards},
	{"zero size", zeroSize},
	{"truncation", truncation},
	{"wait any and some", waitAnyAndSome},
	{"test all", testAll},
	{"persistent", persistent},
	{"sendrecv", sendrecvRing},
	{"many requests", manyRequests},
	{"many offers", manyOffers},
	{"non-overtaking", nonOvertaking},
	{"two goroutines", twoGoroutines},
	{"threads wait at once", threadsWaitAtOnce},
	{"proc null", procNull},
	{"receive of unknown length", unknownLength},
	{"wait with context", waitWithContext},
	{"bad arguments", badArguments},
	{"stale requests", staleRequests},
	{"element types", elementTypes},
	{"elements are compared", comparedElements},
	{"forms of views", formsOfViews},
	{"views among others", viewsAmongOthers},
	{"batches", batches},
	{"iterated", iterated},
	{"under contexts", underContexts},
	{"done channels", doneChannels},
}

// runCase runs a case and checks that it has left nothing behind.
func runCase(c *Comm, k p2pCase) error {
	err := k.run(c)
	if err == nil {
		err = c.Barrier()
	}
	if err == nil {
		if st, ok, probeErr := Iprobe(c, AnySource, AnyTag); ok || probeErr != nil {
			err = fmt.Errorf("left behind: %+v, %v", st, probeErr)
		}
	}
	if err == nil {
		err = c.Barrier()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	return nil
}

// p2pConformance is the program of a rank that is a process.
func p2pConformance(c *Comm) error {
	for _, k := range p2pCases {
		if only := os.Getenv("CASE"); only == "" || only == k.name {
			if err := runCase(c, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// overMem runs f as ranks over btl/mem.
func overMem(t testing.TB, ranks, cpus int, o mem.Options, f func(*Comm) error) {
	t.Helper()
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: cpus,
		Settings: job.Settings{Spin: testkit.Spin}}).Root()
	w := mem.New(root, o)
	var running sync.WaitGroup
	running.Add(ranks)
	jobtest.Ranks(t, root, func(rank int) error {
		c := (*Comm)(comm.NewWorld(root, rank, wrapModule(w.Module(rank)), comm.Settings{}, operatorNames))
		err := f(c)
		running.Done()
		if err == nil && o.Delay > 0 {
			running.Wait() // messages that are late do not outlive their sender, as those of a real BTL do
		}
		return errors.Join(err, c.Finalize())
	})
}

// memKinds are the worlds to run over: roomy, tight in every way, with late messages. Tight has all ways that messages
// take.
var memKinds = map[string]mem.Options{
	"roomy": {},
	"tight": {EagerLimit: 64, Inline: 8, Queue: 2, Credit: 2, Piece: 1000},
	"late":  {Queue: 16, Credit: 8, Delay: 2},
}

// kinds are the names in memKinds, the one that finds most first.
var kinds = []string{"tight", "roomy", "late"}

func TestConformanceOverMem(t *testing.T) {
	for i, k := range p2pCases {
		for _, kind := range testkit.Turn(i, kinds...) {
			for _, ranks := range testkit.Counts(1, 2, 3, 5) {
				t.Run(fmt.Sprintf("%s/%s/ranks=%d", k.name, kind, ranks), func(t *testing.T) {
					cpus := 1 + 7*(ranks%2)
					overMem(t, ranks, cpus, memKinds[kind], func(c *Comm) error { return runCase(c, k) })
				})
			}
		}
	}
}

func TestConformanceInOneSpace(t *testing.T) {
	for _, k := range p2pCases {
		for _, ranks := range testkit.Counts(1, 2, 3, 5) {
			t.Run(fmt.Sprintf("%s/ranks=%d", k.name, ranks), func(t *testing.T) {
				inOneSpace(t, ranks, func(c *Comm) error {
					return errors.Join(runCase(c, k), c.Finalize())
				})
			})
		}
	}
}

// TestConformanceOverProcesses: sm, in all its ways to move a long message.
func TestConformanceOverProcesses(t *testing.T) {
	for _, ranks := range testkit.Counts(1, 2, 3, 5, 16) {
		for _, copies := range []job.SingleCopy{job.SingleCopyAuto, job.SingleCopyNone} {
			t.Run(fmt.Sprintf("ranks=%d/single-copy=%v", ranks, copies), func(t *testing.T) {
				c := smJob(ranks)
				c.Settings.SingleCopy = copies
				jobtest.Run(t, c, "p2p")
			})
		}
	}
}

// ring returns the neighbours of a rank; with one rank it is its own.
func ring(c *Comm) (left, right int) {
	return (c.Rank() + c.Size() - 1) % c.Size(), (c.Rank() + 1) % c.Size()
}

// numbers returns n numbers that tell where they come from.
func numbers(n, salt int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(salt*1_000_003 + i)
	}
	return s
}

func checkNumbers(have []int32, salt int) error {
	for i, v := range have {
		if w := int32(salt*1_000_003 + i); v != w {
			return fmt.Errorf("element %d of %d is %d, not %d", i, len(have), v, w)
		}
	}
	return nil
}

// first returns the first error that there is.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// drain waits for all requests.
func drain(reqs []Request) error { return WaitAll(reqs, nil) }

// wantContains returns an error unless err says so.
func wantContains(err error, text string) error {
	if err == nil || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("error is %v, not one with %q", err, text)
	}
	return nil
}
