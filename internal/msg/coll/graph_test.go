package coll

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// graphWorlds are where graphs are executed in different ways.
var graphWorlds = append([]colltest.World{colltest.Heap}, colltest.Worlds...)

// issuer is a member of a team that issues graphs.
type issuer struct {
	*Team
	engine  *shared.Engine
	channel *cad.Channel
}

// issuing makes a rank's engine, before there are messages.
func issuing(w *Team, o shared.Options) issuer {
	return issuer{w, shared.New(w.Job.(shared.Space), w.Rank, w.Engine, o), channelOf(w)}
}

func channelOf(t *Team) *cad.Channel {
	return &cad.Channel{Context: t.Context + 1000, Rank: t.Rank, Size: t.Size, World: t.World}
}

// close leaves as a rank does that has finalized.
func (i issuer) close() error {
	err := i.Engine.Close()
	i.engine.Close()
	return err
}

// algorithmOf draws one that can make the call.
func (d draw) algorithmOf(t *Team, a *Args) *algorithm {
	var all []*algorithm
	for _, l := range byKind[a.Kind] {
		if (l.build != nil || l.levels != nil) && l.possible(t, a) {
			all = append(all, l)
		}
	}
	return all[d.IntN(len(all))]
}

// flight is a trial that is underway.
type flight struct {
	*trial
	team    *Team
	by      string
	request pml.Request
}

// land waits for trials in any order, until only some are left underway.
func land(t *Team, own *rand.Rand, air *[]flight, left int) error {
	for len(*air) > left {
		all := *air
		at, last := own.IntN(len(all)), len(all)-1
		f := all[at]
		all[at], *air = all[last], all[:last]
		_, err := f.request.Wait()
		if err := f.judge(f.team, f.by, err); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a call without a graph where that can be, or else by an algorithm that is drawn.
func (i issuer) begin(d draw, own *rand.Rand, x *trial) (r pml.Request, by string, err error) {
	if d.IntN(3) > 0 {
		if s := i.Short(&x.Args); s != nil {
			r, err = s.Begin(i.channel, nil)
			return r, "flat", err
		}
	}
	if err := i.prepare(&x.Args); err != nil {
		return r, "", err
	}
	l := d.algorithmOf(i.Team, &x.Args)
	g := i.graphBy(l, x.Args)
	g.Policy, g.Urgent = cad.Policy(own.IntN(3)), own.IntN(2) == 0
	r, err = i.engine.Issue(i.channel, g)
	return r, l.name, err
}

// tryGraphs makes calls drawn from a seed in the world, and in a part of it with the
// order reversed, several at a time, and waits for them in any order.
func tryGraphs(w issuer, seed uint64, calls, most int) error {
	part := split(w.Team, 2)
	own := rand.New(rand.NewPCG(seed, uint64(w.Rank)))
	partly := issuer{part, w.engine, channelOf(part)}
	var air []flight
	for i := range calls {
		where := w
		if i%3 == 2 {
			where = partly
		}
		d := newDraw(seed + uint64(i)<<32)
		kind := Barrier + Kind(d.IntN(int(kinds-Barrier)))
		where.Choice.Reproducible = true
		x := plot(d, kind, where.Size, where.Rank, most)
		r, by, err := where.begin(d, own, x)
		if err != nil {
			return fmt.Errorf("%s: %w", x.text, err)
		}
		air = append(air, flight{x, where.Team, by, r})
		left := own.IntN(8)
		if i%30 == 29 || i == calls-1 {
			left = 0 // there is an end to how many may be underway
		}
		if err := land(w.Team, own, &air, left); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// TestGraphsAgainstNaiveModel: all kinds of calls, by all algorithms and policies, with
// and without helpers.
func TestGraphsAgainstNaiveModel(t *testing.T) {
	seed := testkit.Seed(t)
	type size struct{ ranks, calls, most int }
	var sizes []size
	for ranks := 1; ranks <= 17; ranks++ {
		sizes = append(sizes, size{ranks, 300 / (ranks + 1), 30 << 10})
	}
	sizes = append(sizes, size{3, 20, 1 << 20}, size{5, 20, 1 << 20})
	for i, size := range sizes {
		if testkit.Race {
			size.calls, size.most = size.calls/4, min(size.most, 20<<10)
		}
		for _, maker := range testkit.Turn(i, graphWorlds...) {
			t.Run(fmt.Sprintf("%s/ranks=%d/bytes=%d", maker.Name, size.ranks, size.most), func(t *testing.T) {
				root, rankOf := maker.Start(t, size.ranks, 2+i/len(graphWorlds)%2*6)
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					me := issuing(w, shared.Options{})
					if w.Rank < i%3 {
						me.engine.StartHelper()
					}
					return errors.Join(tryGraphs(me, seed+uint64(i), size.calls, size.most), me.close())
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			})
		}
	}
}

// TestGraphChoice: the algorithm that is asked for builds the graph, each issue is counted
// as its, and those of the program as their own.
func TestGraphChoice(t *testing.T) {
	root, rankOf := colltest.Heap.Start(t, 3, 2)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		me := issuing(w, shared.Options{})
		w.Choice.Graphs[Bcast] = "chain"
		var graphs []*cad.Graph
		for _, kind := range []Kind{Bcast, Allreduce} {
			g, err := w.Graph(*simple(kind, w, 10))
			if err != nil {
				return err
			}
			graphs = append(graphs, g)
		}
		own := NewGraph()
		own.Tie()
		for _, g := range append(graphs, own) {
			request, err := me.engine.Prepare(me.channel, g)
			for range 2 {
				if err == nil {
					err = request.Start()
				}
				if err == nil {
					_, err = request.Wait()
				}
			}
			if err := errors.Join(err, request.Free()); err != nil {
				return err
			}
		}
		return me.close()
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
	require.Equal(t, []Calls{{"ibcast", "chain", 6}, {"iallreduce", "recursive-doubling", 6}, {"graph", "", 6}},
		CallsOf(root))
}

// TestCallsAreCountedOnce: a call is counted for each member, and neither the parts that teams of some
// of the members do nor the comparison of the calls.
func TestCallsAreCountedOnce(t *testing.T) {
	for _, maker := range colltest.Worlds {
		for _, check := range []bool{false, true} {
			root, rankOf := maker.Start(t, 4, 4)
			for rank, err := range run(t, root, rankOf, func(w *Team) error {
				w.Check = check
				return errors.Join(w.Run(simple(Allreduce, w, 8)), w.Run(simple(Allreduce, w, 8)))
			}) {
				require.NoError(t, err, "rank %d", rank)
			}
			calls := CallsOf(root)
			require.Len(t, calls, 1, "%s, compared %v", maker.Name, check)
			require.Equal(t, "allreduce", calls[0].Operation)
			require.EqualValues(t, 8, calls[0].Calls)
		}
	}
}
