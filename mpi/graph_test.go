package mpi

import (
	"errors"
	"fmt"
	"strings"
)

// userGraphs: a chain, a ring that every rank closes with itself, a reduction to rank 0 by
// copies and operators, again and again.
func userGraphs(c *Comm) error {
	n, me := c.Size(), c.Rank()
	token, mine, sum := make([]int, 1000), make([]int, 1000), make([]int, 1000)
	g := NewGraph(c)
	own := CopyNode(g, sum, mine)
	passed := own
	if me > 0 {
		recv := RecvNode(g, token, me-1)
		add := CalcNode(g, Sum[int](), sum, token)
		g.Connect(recv, add)
		g.Connect(own, add)
		passed = add
	}
	if me+1 < n {
		send := SendNode(g, sum, me+1)
		g.Connect(passed, send)
	}
	itself := make([]int, 3)
	all := g.JoinNode()
	g.Connect(SendNode(g, mine[:3], me), all)
	g.Connect(RecvNode(g, itself, me), all)
	g.Connect(GraphStart, own)
	g.Connect(all, GraphEnd)
	g.Tie()
	g.SetPolicy(PolicyShare)
	g.SetUrgent(true)
	var drawing strings.Builder
	if err := first(g.Dump(&drawing), wantContains(errors.New(drawing.String()), "COPY")); err != nil {
		return err
	}
	again, err := g.Prepare()
	if err != nil {
		return err
	}
	for round := range 20 {
		for i := range mine {
			mine[i] = me*round + i
		}
		r := again
		if round%2 == 0 {
			r, err = g.Issue()
		} else {
			err = r.Start()
		}
		if err == nil {
			_, err = r.Wait()
		}
		result := upTo(len(sum), func(i int) int { return me*(me+1)/2*round + (me+1)*i })
		if err := first(err, eq("sum up to here", sum, result), eq("from itself", itself, mine[:3])); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return again.Free()
}

// badGraphs are refused before anything is sent, and their number is not used up.
func badGraphs(c *Comm) error {
	cycle := NewGraph(c)
	a, b := cycle.JoinNode(), cycle.JoinNode()
	cycle.Connect(a, b)
	cycle.Connect(b, a)
	cycle.Tie()
	loose := NewGraph(c)
	loose.JoinNode()
	loose.Connect(GraphStart, GraphEnd)
	stranger := NewGraph(c)
	SendNode(stranger, []int{1}, c.Size())
	stranger.Tie()
	uneven := NewGraph(c)
	CopyNode(uneven, make([]int, 2), make([]int, 3))
	uneven.Tie()
	for text, g := range map[string]*Graph{"cycle": cycle, "not reached": loose,
		"names member": stranger, "bytes": uneven} {
		for _, how := range []func() (Request, error){g.Issue, g.Prepare} {
			_, err := how()
			var bad *GraphError
			if !errors.As(err, &bad) {
				return fmt.Errorf("%s: %v", text, err)
			}
			if err := wantContains(err, text); err != nil {
				return err
			}
		}
	}
	typed := NewGraph(c)
	RecvNode(typed, []*int{nil}, 0)
	_, err := typed.Issue()
	var pointers *TypeError
	if !errors.As(err, &pointers) {
		return fmt.Errorf("pointers: %v", err)
	}
	noOp := NewGraph(c)
	CalcNode(noOp, nil, []int{1}, []int{1})
	_, err = noOp.Issue()
	if err := wantContains(err, "operator is nil"); err != nil {
		return err
	}
	r, err := NewGraph(c).Issue()
	if err := wantContains(err, "END"); err != nil {
		return err
	}
	empty := NewGraph(c)
	empty.Tie()
	if r, err = empty.Issue(); err == nil {
		_, err = r.Wait()
	}
	return err
}
