package shared

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestLostMember: one is killed before it issues, or between two graphs; all others
// learn it, also the one that is none of its peers, and nothing works afterwards.
func TestLostMember(t *testing.T) {
	bothWays(t, func(t *testing.T, direct bool) {
		for _, graphs := range []int{0, 1} {
			root, all := start(t, 4, direct, Options{})
			eachRank(t, root, all, func(r rank) error {
				if r.rank == 1 {
					for range graphs {
						if err := r.do(r.chain(make([]byte, 10))); err != nil {
							return err
						}
					}
					root.MarkGone(1) // and eachRank's has no effect
					return nil
				}
				for i := range graphs + 2 {
					err := r.do(r.chain(make([]byte, 10)))
					var lost *fault.LostError
					switch {
					case i <= graphs, !direct && r.rank == 0: // its messages are buffered
					case !errors.As(err, &lost), direct && lost.Rank != 1:
						return fmt.Errorf("rank %d, graph %d: got %v", r.rank, i, err)
					}
				}
				return nil
			})
		}
	})
}

// TestLostExecutor: a rank that was executing dies. Those whose graph is underway learn
// it, as it may have been theirs; what they issue later is all right.
func TestLostExecutor(t *testing.T) {
	root, all := start(t, 3, true, Options{})
	underway := make(chan struct{})
	eachRank(t, root, all, func(r rank) error {
		if r.rank == 2 {
			<-underway
			root.Share(2).Executing.Add(1)
			root.MarkGone(2)
			return nil
		}
		c := &cad.Channel{Context: 50, Rank: r.rank, Size: 2, World: []int32{0, 1}}
		if r.rank == 0 {
			g := cad.NewGraph()
			g.Recv(make([]byte, 1), 1)
			g.Tie()
			request, err := r.Issue(c, g)
			if err != nil {
				return err
			}
			close(underway)
			_, err = request.Wait()
			var lost *fault.LostError
			if !errors.As(err, &lost) || lost.Rank != 2 {
				return fmt.Errorf("got %v", err)
			}
		} else {
			<-underway
			awaitGone(root, 2)
		}
		next := rank{r.Engine, &cad.Channel{Context: 51, Rank: r.rank, Size: 2, World: []int32{0, 1}}, r.pml}
		return next.do(next.chain(make([]byte, 10)))
	})
}

// TestMemberThatEndedWell is not missed where it was through, and missed where it never
// was.
func TestMemberThatEndedWell(t *testing.T) { memberEndsWell(t, func(rank) {}) }

// TestMemberThatFreedAndEndedWell: nor is one that has freed the communicator before it ended.
func TestMemberThatFreedAndEndedWell(t *testing.T) {
	memberEndsWell(t, func(r rank) { r.Forget(r.world.Context) })
}

func memberEndsWell(t *testing.T, end func(rank)) {
	bothWays(t, func(t *testing.T, direct bool) {
		root, all := start(t, 3, direct, Options{})
		looked := make(chan struct{}) // rank 1 has looked at its graph, which needs rank 2, since rank 0 is gone
		eachRank(t, root, all, func(r rank) error {
			if r.rank == 0 {
				defer end(r)
				return r.do(r.chain([]byte{5}))
			}
			buf := make([]byte, 1)
			if r.rank == 2 {
				awaitGone(root, 0)
				<-looked
			}
			request, err := r.Issue(r.world, r.chain(buf))
			if err != nil {
				return err
			}
			awaitGone(root, 0)
			if r.rank == 1 {
				r.pml.Progress()
				close(looked)
			}
			if _, err := request.Wait(); err != nil || buf[0] != 5 {
				return fmt.Errorf("rank %d: got %d, %w", r.rank, buf[0], err)
			}
			err = r.do(r.chain(buf))
			var lost *fault.LostError
			if !errors.As(err, &lost) || direct && lost.Rank != 0 {
				return fmt.Errorf("rank %d: got %v", r.rank, err)
			}
			return nil
		})
	})
}

// TestMemberThatEndedWellWithoutItsPart: a member that has issued less on a channel than others is missed.
// What it had issued on the last channel with the same context does not count.
func TestMemberThatEndedWellWithoutItsPart(t *testing.T) {
	for issues := range 3 {
		root, all := start(t, 2, true, Options{})
		var forgotten sync.WaitGroup
		forgotten.Add(len(all))
		eachRank(t, root, all, func(r rank) error {
			for range 5 {
				if err := r.do(r.chain(make([]byte, 1))); err != nil {
					return err
				}
			}
			r.Forget(r.world.Context)
			forgotten.Done()
			forgotten.Wait()
			r.Reuse(r.world.Context)
			r.world = &cad.Channel{Context: r.world.Context, Rank: r.rank, Size: 2}
			for range issues {
				if err := r.do(r.chain(make([]byte, 1))); err != nil {
					return err
				}
			}
			if r.rank == 0 {
				return nil
			}
			err := r.do(r.chain(make([]byte, 1)))
			if lost, ok := errors.AsType[*fault.LostError](err); !ok || lost.Rank != 0 {
				return fmt.Errorf("after %d graphs: got %v", issues, err)
			}
			return nil
		})
	}
}

// A graph that is begun when a rank has gone takes nothing from the buffers of that rank, which may be no more.
func TestNothingIsTakenFromTheDead(t *testing.T) {
	root, all := start(t, 2, true, Options{})
	eachRank(t, root, all, func(r rank) error {
		g := cad.NewGraph()
		if r.rank == 1 {
			g.Send([]byte{5}, 0)
			g.Tie()
			_, err := r.Issue(r.world, g)
			root.MarkGone(1) // it does not wait
			return err
		}
		awaitGone(root, 1)
		g.Recv(make([]byte, 1), 1)
		g.Tie()
		err := r.do(g)
		if lost, ok := errors.AsType[*fault.LostError](err); !ok || lost.Rank != 1 {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
}

func awaitGone(root *job.Root, rank int) {
	for !root.Gone(rank) {
		runtime.Gosched()
	}
}

// awaitWaiting returns when a rank has said what it waits for: it sleeps, or is about to.
func awaitWaiting(root *job.Root, rank int) {
	for _, ok := root.Waiting(rank); !ok; _, ok = root.Waiting(rank) {
		runtime.Gosched()
	}
}
