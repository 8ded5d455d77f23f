package coll

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// standoff is a job in which one rank stays out of a collective call, and waits for a
// message of another one that waits in it.
type standoff struct {
	root       *job.Root
	name       string // of the call
	late, whom int    // rank late waits for rank whom
	teams      []*Team
	all        sync.WaitGroup
	errs       []error
}

const standoffRanks, letterContext = 5, 77

// stand has all ranks make two barriers and then the call, but for one.
func stand(t *testing.T, maker colltest.World, kind Kind, cpus int, call func(*Team) func() error) *standoff {
	root, rankOf := maker.Start(t, standoffRanks, cpus)
	s := &standoff{root: root, late: standoffRanks - 1, teams: make([]*Team, standoffRanks),
		errs: make([]error, standoffRanks)}
	switch kind {
	case Bcast, Scatter, Scan, Exscan:
		s.late, s.whom = 0, 1 // whom all need
	}
	calls := make([]func() error, standoffRanks)
	for rank := range standoffRanks {
		root.SetState(rank, job.StateInit)
		s.teams[rank] = world(root, rank, rankOf(rank))
		s.teams[rank].Name = func() string { return "grid" }
		calls[rank] = call(s.teams[rank])
	}
	stands := make(chan struct{})
	for rank, w := range s.teams {
		s.all.Go(func() {
			s.errs[rank] = func() error {
				for range 2 {
					if err := w.Barrier(); err != nil {
						return err
					}
				}
				if rank == s.late {
					if _, err := w.Engine.Recv(letterContext, s.whom, 3, make([]byte, 1)); err != nil {
						return err
					}
				} else {
					<-stands
				}
				return calls[rank]()
			}()
		})
	}
	s.await(func(views []job.View) bool { return views[s.late].Waiting.Op == job.OpRecv })
	close(stands)
	return s
}

// await looks until what is to be seen from outside is so.
func (s *standoff) await(so func([]job.View) bool) (views []job.View) {
	for {
		if views = s.root.Snapshot(); so(views) {
			return views
		}
		runtime.Gosched()
	}
}

// settled tells whether the rank that is waited for says that it is in the call, by its
// name, on the communicator, and misses somebody.
func (s *standoff) settled(views []job.View) bool {
	v := views[s.whom]
	return v.Waits && v.Waiting.Op == job.OpCollective && v.Waiting.Collective.Name == s.name &&
		v.Waiting.Collective.Communicator == "grid" && len(v.For) > 0
}

// allMissTheLate tells whether all others name no rank but the one that stays out.
func (s *standoff) allMissTheLate(views []job.View) bool {
	for rank, v := range views {
		if rank != s.late && v.Waits && !slices.Equal(v.For, []int{s.late}) {
			return false
		}
	}
	return true
}

// release lets the rank come that has stayed out.
func (s *standoff) release(t *testing.T) {
	require.NoError(t, s.teams[s.whom].Engine.Send(letterContext, s.late, 3, []byte{1}, pml.Standard))
	s.all.Wait()
	for rank, err := range s.errs {
		require.NoError(t, err, "rank %d", rank)
	}
}

// leadsTo tells whether who waits for whom leads from a rank to another.
func leadsTo(views []job.View, from, to int) bool {
	seen, next := map[int]bool{}, []int{from}
	for len(next) > 0 {
		rank := next[0]
		next = next[1:]
		for _, r := range views[rank].For {
			if r == to {
				return true
			}
			if !seen[r] {
				seen[r] = true
				next = append(next, r)
			}
		}
	}
	return false
}

// TestHangInCollectives: whatever the algorithm, the ranks that wait in a call say which it
// is, and who is missing, and it is proved that they wait for ever.
func TestHangInCollectives(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for i, l := range algorithms {
			if !doneBy(&l, maker) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v=%s", maker.Name, l.kind, l.name), func(t *testing.T) {
				n, cpus := 20_000, 2
				switch l.name {
				case "flat":
					n, cpus = 8, standoffRanks
				case "slot":
					n, cpus = 8, 2+i%2*standoffRanks
				}
				s := stand(t, maker, l.kind, cpus, func(w *Team) func() error {
					return func() error {
						w.Choice.Blocking[l.kind] = l.name
						return w.Run(simple(l.kind, w, n))
					}
				})
				s.name = l.kind.String()
				s.await(func(views []job.View) bool {
					ranks, cycle := job.Deadlocked(views)
					return s.settled(views) && len(cycle) > 0 && len(ranks) > 1 && leadsTo(views, s.whom, s.late) &&
						(!maker.Direct || l.ahead && l.kind.chained() || s.allMissTheLate(views))
				})
				s.release(t)
			})
		}
	}
}

// TestHangInGraphs: nonblocking operations. In one address space it is known who has begun
// his part, and so proved that none goes on.
func TestHangInGraphs(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for _, l := range algorithms {
			if l.build == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v=%s", maker.Name, l.kind, l.name), func(t *testing.T) {
				s := stand(t, maker, l.kind, standoffRanks, func(w *Team) func() error {
					i := issuing(w,
						shared.Options{Describe: func(call uint64) string {
							return DescribeCall(call, func(uint64) string { return "sum" })
						}})
					i.channel.Name = w.Name
					return func() error {
						w.Choice.Graphs[l.kind] = l.name
						g, err := w.Graph(*simple(l.kind, w, 20_000))
						if err != nil {
							return err
						}
						r, err := i.engine.Issue(i.channel, g)
						if err == nil {
							_, err = r.Wait()
						}
						return err
					}
				})
				s.name = graphName(l.kind)
				s.await(func(now []job.View) bool {
					_, cycle := job.Deadlocked(now)
					return s.settled(now) && leadsTo(now, s.whom, s.late) && (len(cycle) > 0 || !maker.Direct)
				})
				s.release(t)
			})
		}
	}
}
