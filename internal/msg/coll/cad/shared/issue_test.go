package shared

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// bothWays runs a test in one address space and with messages.
func bothWays(t *testing.T, f func(t *testing.T, direct bool)) {
	for _, direct := range []bool{true, false} {
		t.Run(fmt.Sprintf("direct=%v", direct), func(t *testing.T) { f(t, direct) })
	}
}

// chain hands buf from rank to rank.
func (r rank) chain(buf []byte) *cad.Graph {
	g := cad.NewGraph()
	var before cad.Node
	if r.rank > 0 {
		before = g.Recv(buf, r.rank-1)
	}
	if r.rank < r.world.Size-1 {
		g.Connect(before, g.Send(buf, r.rank+1))
	}
	g.Tie()
	return g
}

func TestPersistentGraphs(t *testing.T) {
	bothWays(t, func(t *testing.T, direct bool) {
		root, all := start(t, 3, direct, Options{})
		eachRank(t, root, all, func(r rank) error {
			buf := make([]byte, 2*inlineBytes)
			request, err := r.Prepare(r.world, r.chain(buf))
			if err != nil {
				return err
			}
			for i := range 200 {
				if r.rank == 0 {
					for j := range buf {
						buf[j] = byte(i + j)
					}
				}
				if err := request.Start(); err != nil {
					return err
				}
				if _, err := request.Wait(); err != nil {
					return err
				}
				for j := range buf {
					if buf[j] != byte(i+j) {
						return fmt.Errorf("issue %d: byte %d is %d", i, j, buf[j])
					}
				}
			}
			if err := request.Free(); err != nil {
				return err
			}
			if used := r.nodes.bytes; used != 0 {
				return fmt.Errorf("%d bytes of nodes are left", used)
			}
			return nil
		})
	})
}

// TestLengthsThatDiffer: both are told, and nobody else.
func TestLengthsThatDiffer(t *testing.T) {
	bothWays(t, func(t *testing.T, direct bool) {
		root, all := start(t, 3, direct, Options{})
		eachRank(t, root, all, func(r rank) error {
			g := cad.NewGraph()
			switch r.rank {
			case 0:
				g.Send(make([]byte, 5), 1)
				g.Recv(make([]byte, 1), 1) // of a peer that knows: so this graph, too, ends with the error
			case 1:
				g.Connect(g.Recv(make([]byte, 7), 0), g.Send(make([]byte, 1), 0))
			}
			g.Tie()
			err := r.do(g)
			var mismatch *fault.MismatchError
			switch {
			case r.rank == 2 && err != nil:
				return err
			case r.rank < 2 && !errors.As(err, &mismatch):
				return fmt.Errorf("rank %d: got %v", r.rank, err)
			case r.rank < 2 && !strings.Contains(err.Error(), "5 bytes to rank"):
				return err
			}
			return r.do(r.chain(make([]byte, 3))) // the channel still works
		})
	})
}

// TestNumbersOfPairsThatDiffer: in one address space both ranks are told, whichever has too few nodes and whether the
// others are ready or come after the first one. If it stands for a refused call those that receive hear of that. What
// is called after the nodes is left out, and the channel still works.
func TestNumbersOfPairsThatDiffer(t *testing.T) {
	refused := cad.About(cad.Refused, 1)
	for _, short := range []cad.Kind{cad.Send, cad.Recv} {
		for _, failed := range []*cad.Failure{nil, &refused} {
			for _, chained := range []bool{false, true} {
				name := fmt.Sprint("too few ", short, ", chained ", chained, ", refused ", failed != nil)
				t.Run(name, func(t *testing.T) {
					root, all := start(t, 2, true, Options{})
					eachRank(t, root, all, func(r rank) error {
						kind, nodes, called := short, 1, false
						g := cad.NewGraph()
						if r.rank == 1 {
							g.Failed = failed
						} else {
							kind, nodes = cad.Send+cad.Recv-short, 4
						}
						for last := cad.Start; nodes > 0; nodes-- {
							n := addOf(g, kind, 1-r.rank)
							if chained {
								g.Connect(last, n)
								last = n
							}
						}
						g.CallLast(func() { called = true })
						g.Tie()
						err := r.do(g)
						if _, told := errors.AsType[*fault.MismatchError](err); failed != nil && kind == cad.Send &&
							r.rank == 0 && err != nil || (failed == nil || r.rank == 1 || kind == cad.Recv) && !told {
							return fmt.Errorf("rank %d: got %v", r.rank, err)
						}
						if called != (err == nil) {
							return fmt.Errorf("rank %d: got %v, called: %v", r.rank, err, called)
						}
						return r.do(r.chain(make([]byte, 3)))
					})
				})
			}
		}
	}
}

// addOf adds a SEND or RECV.
func addOf(g *cad.Graph, kind cad.Kind, peer int) cad.Node {
	if kind == cad.Send {
		return g.Send(make([]byte, 5), peer)
	}
	return g.Recv(make([]byte, 5), peer)
}

// TestNodesThatNothingMeets: the graphs of the other ranks are complete, and have nothing for a node of rank
// 0. It is told of that, whether they live on, have ended in order, or have ended before it issues.
func TestNodesThatNothingMeets(t *testing.T) {
	for _, kind := range []cad.Kind{cad.Send, cad.Recv} {
		for _, how := range []string{"alive", "ended", "ended before"} {
			t.Run(fmt.Sprint(kind, " ", how), func(t *testing.T) {
				root, all := start(t, 3, true, Options{})
				told := make(chan struct{})
				eachRank(t, root, all, func(r rank) error {
					g := cad.NewGraph()
					if r.rank == 0 {
						defer close(told)
						if kind == cad.Send {
							g.Send(make([]byte, 5), 1)
						} else {
							g.Recv(make([]byte, 5), 1)
						}
					}
					g.Tie()
					if r.rank != 0 {
						err := r.do(g)
						if how == "alive" {
							<-told
						}
						return err
					}
					if how == "ended before" {
						awaitGone(root, 1)
					}
					err := r.do(g)
					if mismatch, ok := errors.AsType[*fault.MismatchError](err); !ok || mismatch.Member != 1 {
						return fmt.Errorf("got %v", err)
					}
					return nil
				})
			})
		}
	}
}

// TestPanicOfOperator: those that depend on its result are told whose operator it was.
func TestPanicOfOperator(t *testing.T) {
	bothWays(t, func(t *testing.T, direct bool) {
		for _, name := range []uint64{0, 1} {
			bad := func(inout, in []byte) { panic("of this operator") }
			root, all := start(t, 4, direct, Options{Resolve: func(uint64) func(inout, in []byte) { return bad }})
			eachRank(t, root, all, func(r rank) error {
				buf := make([]byte, 2*inlineBytes)
				g := r.chain(buf)
				if r.rank == 1 { // between its RECV and its SEND
					g = cad.NewGraph()
					recv, send := g.Recv(buf, 0), g.Send(buf, 2)
					calc := g.Calc(&cad.Op{Size: 1, Apply: bad, Name: name}, buf, make([]byte, len(buf)))
					g.Connect(recv, calc)
					g.Connect(calc, send)
					g.Tie()
				}
				err := r.do(g)
				var op *fault.OperatorError
				switch {
				case r.rank == 0 && err != nil:
					return err
				case r.rank > 0 && !errors.As(err, &op):
					return fmt.Errorf("rank %d: got %v", r.rank, err)
				case r.rank > 0 && op.Rank != 1:
					return fmt.Errorf("rank %d blames rank %d", r.rank, op.Rank)
				case r.rank > 0 && op.Value != "of this operator":
					return fmt.Errorf("rank %d: panic with %v", r.rank, op.Value)
				}
				return nil
			})
		}
	})
}

// TestOthersProgress: a rank that computes has its part done by one that waits, which has
// no part in its chain but the end.
func TestOthersProgress(t *testing.T) {
	for _, length := range []int{1, 10 * inlineBytes} {
		root, all := start(t, 4, true, Options{})
		issued, arrived := make(chan struct{}), make(chan struct{})
		eachRank(t, root, all, func(r rank) error {
			buf := make([]byte, length)
			if r.rank == 0 {
				buf[length-1] = 1
				for range 3 {
					<-issued
				}
			}
			request, err := r.Issue(r.world, r.chain(buf))
			if err != nil {
				return err
			}
			switch r.rank {
			case 3:
				issued <- struct{}{}
				_, err = request.Wait()
				close(arrived)
			case 0:
				<-arrived // and so makes no call until then
				_, err = request.Wait()
			default:
				issued <- struct{}{}
				<-arrived
				_, err = request.Wait()
			}
			if err == nil && buf[length-1] != 1 {
				err = errors.New("the message has not arrived")
			}
			return err
		})
	}
}

// TestUrgentGraphsComeFirst: of nodes that anybody may take those of urgent graphs are
// taken first, though they were offered last.
func TestUrgentGraphsComeFirst(t *testing.T) {
	_, all := start(t, 2, true, Options{})
	owner, thief := all[0], all[1]
	thief.work.Used.Store(1)
	thief.Polling(true) // so that all are left to it
	var order []byte
	for i, urgent := range []bool{false, true, false, true} {
		g := cad.NewGraph()
		g.Urgent = urgent
		g.Calc(&cad.Op{Size: 1, Name: 1, Apply: mix}, make([]byte, inlineBytes+1+i), make([]byte, inlineBytes+1+i))
		g.Tie()
		_, err := owner.Issue(owner.world, g)
		require.NoError(t, err)
	}
	for range 4 {
		r, ok := thief.take()
		require.True(t, ok)
		order = append(order, byte(r.n.size-inlineBytes-1))
	}
	_, ok := thief.take()
	require.False(t, ok)
	require.ElementsMatch(t, []byte{1, 3}, order[:2])
	require.ElementsMatch(t, []byte{0, 2}, order[2:])
	require.False(t, thief.Pending(), "the bits of what was taken are cleared")
}

// TestMismatchLeavesFormerMembersAlone: a context is used again by a channel with fewer
// members, on which graphs do not fit, and then by one with all of them.
func TestMismatchLeavesFormerMembersAlone(t *testing.T) {
	_, all := start(t, 3, true, Options{})
	issue := func(r rank, c *cad.Channel, g *cad.Graph) pml.Request {
		g.Tie()
		request, err := r.Issue(c, g)
		require.NoError(t, err)
		return request
	}
	everybody := func() {
		var requests []pml.Request
		for _, r := range all {
			c := &cad.Channel{Context: 9, Rank: r.rank, Size: 3}
			requests = append(requests, issue(r, c, r.chain(make([]byte, 1))))
		}
		for i := range all {
			_, err := requests[i].Wait()
			require.NoError(t, err)
		}
		for _, r := range all {
			r.Forget(9)
		}
	}
	everybody()
	few := []int32{0, 1}
	sends, receives := cad.NewGraph(), cad.NewGraph()
	sends.Send(nil, 1)
	sends.Send(nil, 1)
	receives.Recv(nil, 0)
	b := issue(all[1], &cad.Channel{Context: 9, Rank: 1, Size: 2, World: few}, receives)
	a := issue(all[0], &cad.Channel{Context: 9, Rank: 0, Size: 2, World: few}, sends)
	var mismatch *fault.MismatchError
	_, err := a.Wait()
	require.ErrorAs(t, err, &mismatch)
	_, _ = b.Wait() // which may have got all that it waits for
	all[0].Forget(9)
	all[1].Forget(9)
	everybody()
}
