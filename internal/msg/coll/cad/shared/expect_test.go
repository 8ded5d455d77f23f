package shared

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// waysToWait are the calls in which a rank sleeps until a graph is complete.
var waysToWait = map[string]func(r rank, request *pml.Request) error{
	"wait": func(r rank, request *pml.Request) error {
		_, err := request.Wait()
		return err
	},
	"wait with a context": func(r rank, request *pml.Request) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := request.WaitContext(ctx)
		return err
	},
	"wait for any": func(r rank, request *pml.Request) error {
		never, err := r.pml.Irecv(99, 2, 0, nil)
		if err != nil {
			return err
		}
		if _, err := pml.AwaitAny([]pml.Request{never, *request}); err != nil {
			return err
		}
		_, _, err = request.Take()
		return err
	},
}

// recvOf1 is a graph that receives from rank 1.
func recvOf1() *cad.Graph {
	g := cad.NewGraph()
	g.Recv(make([]byte, 5), 1)
	g.Tie()
	return g
}

// endInSilence does a graph without a node for another rank, and lives on until that was told.
func (r rank) endInSilence(told <-chan struct{}) error {
	g := cad.NewGraph()
	g.Tie()
	err := r.do(g)
	<-told
	return err
}

// TestPeersThatEndInSilence: a peer issues its graph, which has no node for this rank, when this rank sleeps. No event
// comes from a node of that graph. The peers live on until this rank was told.
func TestPeersThatEndInSilence(t *testing.T) {
	for how, wait := range waysToWait {
		for before := range 2 { // graphs that all have issued before
			t.Run(fmt.Sprintf("%s, after %d graphs", how, before), func(t *testing.T) {
				root, all := start(t, 3, true, Options{})
				told := make(chan struct{})
				eachRank(t, root, all, func(r rank) error {
					for range before {
						if err := r.do(r.chain(make([]byte, 1))); err != nil {
							return err
						}
					}
					if r.rank == 1 {
						awaitWaiting(root, 0)
					}
					if r.rank != 0 {
						return r.endInSilence(told)
					}
					defer close(told)
					request, err := r.Issue(r.world, recvOf1())
					if err != nil {
						return err
					}
					return isPairsOf(wait(r, &request), 1)
				})
			})
		}
	}
}

// TestPeersThatEndInSilenceOfATest: the rank tests, and never sleeps.
func TestPeersThatEndInSilenceOfATest(t *testing.T) {
	root, all := start(t, 3, true, Options{})
	told, tested := make(chan struct{}), make(chan struct{})
	eachRank(t, root, all, func(r rank) error {
		if r.rank != 0 {
			<-tested
			return r.endInSilence(told)
		}
		defer close(told)
		request, err := r.Issue(r.world, recvOf1())
		for i, done := 0, err != nil; !done; i++ {
			if _, done, err = request.Test(); i == 2*longLooks {
				close(tested)
			}
		}
		return isPairsOf(err, 1)
	})
}

// TestPeersThatEndInSilenceForTwoGoroutines: the goroutine that waits for the graph is parked behind one that waits for
// a message, and issues when that sleeps.
func TestPeersThatEndInSilenceForTwoGoroutines(t *testing.T) {
	root, all := start(t, 2, true, Options{})
	told := make(chan struct{})
	eachRank(t, root, all, func(r rank) error {
		if r.rank == 1 {
			awaitWaiting(root, 0)
			for all[0].pml.Stats().Parks == 0 {
				awaitWaiting(root, 0)
			}
			return errors.Join(r.endInSilence(told), r.pml.Send(99, 0, 0, nil, pml.Standard))
		}
		received := make(chan error, 1)
		go func() {
			_, err := r.pml.Recv(99, 1, 0, nil)
			received <- err
		}()
		awaitWaiting(root, 0)
		err := isPairsOf(r.do(recvOf1()), 1)
		close(told)
		return errors.Join(err, <-received)
	})
}

func isPairsOf(err error, member int) error {
	if mismatch, ok := errors.AsType[*fault.MismatchError](err); !ok || mismatch.Member != member {
		return fmt.Errorf("got %v", err)
	}
	return nil
}

// TestPeerThatForgetsAndEnds: a peer has forgotten the channel. It ends when this rank has looked for its graph in
// vain.
func TestPeerThatForgetsAndEnds(t *testing.T) {
	root, all := start(t, 2, true, Options{})
	forgotten := make(chan struct{})
	eachRank(t, root, all, func(r rank) error {
		if r.rank == 0 {
			<-forgotten
			var mismatch *fault.MismatchError
			if err := r.do(recvOf1()); !errors.As(err, &mismatch) {
				return fmt.Errorf("got %v", err)
			}
			return nil
		}
		g := cad.NewGraph()
		g.Tie()
		err := r.do(g)
		r.Forget(r.world.Context)
		close(forgotten)
		for own := r.records[r.world.Context]; own.awaited.Load() == 0; {
			root.Inbox(0).Notify()
			runtime.Gosched()
		}
		return err
	})
}
