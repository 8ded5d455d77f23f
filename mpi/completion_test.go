package mpi

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// completionCases are the calls that complete the face: they run in all worlds, with the
// other cases of communicators and messages.
var completionCases = []p2pCase{
	{"test any and some", testAnyAndSome},
	{"start all", startAll},
	{"imrecv", imrecv},
	{"self", selfIsAlone},
	{"compare", compareComms},
	{"create", createOfGroups},
	{"idup", idup},
	{"buffered", bufferedSends},
	{"nil communicator", nilCommunicator},
}

func TestCompletionOverMem(t *testing.T) {
	for _, k := range completionCases {
		for kind, options := range memKinds {
			for _, ranks := range testkit.Counts(1, 2, 5) {
				t.Run(fmt.Sprintf("%s/%s/ranks=%d", k.name, kind, ranks), func(t *testing.T) {
					overMem(t, ranks, 2, options, func(c *Comm) error { return runCase(c, k) })
				})
			}
		}
	}
}

func TestCompletionInOneSpace(t *testing.T) {
	for _, k := range completionCases {
		t.Run(k.name, func(t *testing.T) { inOneSpace(t, 4, func(c *Comm) error { return runCase(c, k) }) })
	}
}

func testAnyAndSome(c *Comm) error {
	left, right := ring(c)
	bufs, reqs := make([][]int32, 4), make([]Request, 5)
	for tag := range bufs {
		bufs[tag] = make([]int32, 3)
		r, err := Irecv(c, bufs[tag], left, tag)
		if err != nil {
			return err
		}
		reqs[tag] = r
	}
	_, _, early, err := TestAny(reqs[:1])
	some, _, someErr := TestSome(reqs[:1], nil, nil)
	if err := first(err, someErr, want("active", reqs[0].Active(), true), want("done", early, false),
		want("some", len(some), 0), c.Barrier()); err != nil {
		return err
	}
	for tag := range bufs {
		if err := Send(c, numbers(3, tag), right, tag); err != nil {
			return err
		}
	}
	for done := 0; done < 2; {
		i, st, ok, err := TestAny(reqs)
		if err != nil {
			return err
		}
		if ok {
			if err := first(want("tag", st.Tag, i), want("active", reqs[i].Active(), false),
				checkNumbers(bufs[i], i)); err != nil {
				return err
			}
			done++
		}
	}
	var indices []int
	var statuses []Status
	for len(indices) < 2 {
		if indices, statuses, err = TestSome(reqs, indices, statuses); err != nil {
			return err
		}
	}
	for k, i := range indices {
		if err := first(want("tag", statuses[k].Tag, i), checkNumbers(bufs[i], i)); err != nil {
			return err
		}
	}
	i, _, ok, err := TestAny(reqs)
	return first(err, want("index", i, Undefined), want("nothing is done", ok, true))
}

func startAll(c *Comm) error {
	left, right := ring(c)
	in, out := make([]int32, 2), numbers(2, c.Rank())
	r, err := RecvInit(c, in, left, 3)
	s, sendErr := SendInit(c, out, right, 3)
	reqs := []Request{r, s, {}}
	err = first(err, sendErr, wantIs("start of nothing", StartAll(reqs), ErrNotPersistent), WaitAll(reqs[:2], nil),
		checkNumbers(in, left))
	return first(err, reqs[0].Free(), reqs[1].Free())
}

func imrecv(c *Comm) error {
	left, right := ring(c)
	s, err := Isend(c, numbers(5, c.Rank()), right, 0)
	if err != nil {
		return err
	}
	m, _, err := Mprobe(c, left, 0)
	if err != nil {
		return err
	}
	buf := make([]int32, 5)
	r, err := Imrecv(&m, buf)
	_, again := Imrecv(&m, buf)
	_, none := Imrecv(&Message{}, buf)
	_, pointer := Imrecv(nil, buf)
	_, blocking := Mrecv(nil, buf)
	if err := first(err, wantIs("again", again, ErrNoMessage), wantIs("none", none, ErrNoMessage),
		wantIs("nil", pointer, ErrNoMessage), wantIs("blocking nil", blocking, ErrNoMessage)); err != nil {
		return err
	}
	st, err := r.Wait()
	_, sendErr := s.Wait()
	return first(err, sendErr, want("count", st.Count, 5), want("source", st.Source, left), checkNumbers(buf, left))
}

func selfIsAlone(c *Comm) error {
	s := c.Self()
	in := []int64{int64(c.Rank())}
	return first(want("size", s.Size(), 1), want("rank", s.Rank(), 0), want("same", c.Self(), s),
		want("of self", s.Self(), s), Allreduce(s, nil, in, Sum[int64]()), want("sum", in[0], int64(c.Rank())),
		pass(s, 2), s.Barrier(), wantIs("free", s.Free(), ErrWorld))
}

func compareComms(c *Comm) error {
	d, err := c.Dup()
	r, splitErr := c.Split(0, -c.Rank())
	p, partErr := c.Split(c.Rank(), 0)
	if err := first(err, splitErr, partErr); err != nil {
		return err
	}
	reversed, part := Similar, Unequal
	if c.Size() == 1 {
		reversed, part = Congruent, Congruent
	}
	return first(want("itself", c.Compare(c), Identical), want("dup", c.Compare(d), Congruent),
		want("reversed", c.Compare(r), reversed), want("part", c.Compare(p), part),
		want("groups", c.Group().Compare(d.Group()), Identical), want("nil", c.Compare(nil), Unequal),
		d.Free(), r.Free(), p.Free())
}

// createOfGroups makes communicators of the even and the odd ranks by one call.
func createOfGroups(c *Comm) error {
	var mine []int
	for rank := c.Size() - 1; rank >= 0; rank-- {
		if rank%2 == c.Rank()%2 {
			mine = append(mine, rank)
		}
	}
	g, err := c.Group().Incl(mine...)
	if err != nil {
		return err
	}
	n, err := c.Create(g)
	if err := first(err, want("size", n.Size(), len(mine)), want("first", mine[n.Rank()], c.Rank()), pass(n, 4),
		n.Free()); err != nil {
		return err
	}
	nobody, err := c.Group().Incl()
	none, noneErr := c.Create(nobody)
	_, nilErr := c.Create(nil)
	return first(err, noneErr, want("none", none, nil), wantContains(nilErr, "the group is nil"), pass(c, 1))
}

func idup(c *Comm) error {
	a, ra, err := c.Idup()
	b, rb, bErr := c.Idup()
	if err := first(err, bErr, WaitAll([]Request{ra, rb}, nil)); err != nil {
		return err
	}
	return first(want("ids differ", a.ID() != b.ID() && a.ID() != c.ID(), true),
		want("compare", a.Compare(c), Congruent),
		pass(a, 1), pass(b, 2), a.Barrier(), a.Free(), b.Free())
}

// bufferedSends: no send waits, however long and many, and what arrives is what was in the
// buffer at the call.
func bufferedSends(c *Comm) error {
	left, right := ring(c)
	buf := make([]int32, 40_000)
	for tag := range 5 {
		copy(buf, numbers(len(buf), tag+c.Rank()))
		if err := Bsend(c, buf, right, tag); err != nil {
			return err
		}
	}
	r, err := Ibsend(c, buf, right, 5)
	if err != nil {
		return err
	}
	_, done, err := r.Test()
	clear(buf)
	if err := first(err, want("done", done, true), c.Barrier()); err != nil {
		return err
	}
	in := make([]int32, len(buf))
	for tag := range 6 {
		if _, err := Recv(c, in, left, tag); err != nil {
			return err
		}
		if err := checkNumbers(in, min(tag, 4)+left); err != nil {
			return fmt.Errorf("tag %d: %w", tag, err)
		}
	}
	_, bad := errors.AsType[*RankError](Bsend(c, in, c.Size(), 0))
	return first(want("bad rank", bad, true), c.FlushBuffer())
}

// nilCommunicator: every call on a communicator that this rank is not in is an error.
func nilCommunicator(c *Comm) error {
	none, err := c.Split(Undefined, 0)
	if err := first(err, want("none", none, nil)); err != nil {
		return err
	}
	for _, none := range []*Comm{nil, {}} {
		for name, call := range callsOn(none, c) {
			if err := wantIs(name, call(), ErrNoComm); err != nil {
				return err
			}
		}
	}
	return outsideGrid(c)
}

// callsOn are calls on a communicator that is none. c is one.
func callsOn(none, c *Comm) map[string]func() error {
	b := []int32{1}
	return map[string]func() error{
		"send": func() error { return Send(none, b, 0, 0) }, "bsend": func() error { return Bsend(none, b, 0, 0) },
		"isend":      func() error { _, err := Isend(none, b, 0, 0); return err },
		"recv":       func() error { _, err := Recv(none, b, 0, 0); return err },
		"irecv":      func() error { _, err := Irecv(none, b, 0, 0); return err },
		"probe":      func() error { _, err := Probe(none, 0, 0); return err },
		"bcast":      func() error { return Bcast(none, b, 0) },
		"allgather":  func() error { return Allgather(none, nil, b) },
		"gather":     func() error { return Gather(none, b, nil, 0) },
		"scatter":    func() error { return ReduceScatterBlock(none, nil, b, Sum[int32]()) },
		"allreduce":  func() error { return Allreduce(none, b, b, Sum[int32]()) },
		"iallreduce": func() error { _, err := Iallreduce(none, b, b, Sum[int32]()); return err },
		"persistent": func() error { _, err := BcastInit(none, b, 0); return err },
		"neighbors":  func() error { return NeighborAllgather(none, b, b) },
		"ineighbors": func() error { _, err := IneighborAllgather(none, b, b); return err },
		"barrier":    none.Barrier, "free": none.Free, "finalize": none.Finalize, "flush": none.FlushBuffer,
		"dup":      func() error { _, err := none.Dup(); return err },
		"idup":     func() error { _, _, err := none.Idup(); return err },
		"split":    func() error { _, err := none.Split(0, 0); return err },
		"type":     func() error { _, err := none.SplitType(Shared, 0); return err },
		"create":   func() error { _, err := none.Create(c.Group()); return err },
		"group":    func() error { _, err := none.CreateGroup(c.Group(), 0); return err },
		"cart":     func() error { _, err := CartCreate(none, []int{1}, []bool{true}); return err },
		"graph":    func() error { _, err := DistGraphCreate(none, nil); return err },
		"window":   func() error { _, err := WinAllocateShared[int](none, 1); return err },
		"over own": func() error { _, err := WinCreate(none, b); return err },
		"issue":    func() error { _, err := NewGraph(none).Issue(); return err },
		"file":     func() error { _, err := OpenFile(none, "x", FileReadOnly, nil); return err },
		"fresh":    func() error { return (&Cart{Comm: none}).Barrier() },
		"coords":   func() error { _, err := (&Cart{Comm: none}).Coords(0); return err },
	}
}

// outsideGrid: likewise of a grid.
func outsideGrid(c *Comm) error {
	var none *Comm
	b, calls := []int32{1}, map[string]func() error{}
	grid, err := CartCreate(c, nil, nil) // of one cell
	if err := first(err, want("a cell", grid.Rank() == 0, c.Rank() == 0)); err != nil {
		return err
	}
	if c.Rank() == 0 {
		if err := grid.Free(); err != nil {
			return err
		}
		grid = nil
	}
	var graph *DistGraph
	var nodes *Graph
	calls["coordinates"] = func() error { _, err := grid.Coords(0); return err }
	calls["rank at"] = func() error { _, err := grid.RankAt(0); return err }
	calls["shift"] = func() error { _, _, err := grid.Shift(0, 1); return err }
	calls["divide"] = func() error { _, err := grid.Sub(nil); return err }
	if c.Rank() > 0 {
		calls["grid barrier"], calls["to grid"] = grid.Barrier, func() error { return Send(grid.Comm, b, 0, 0) }
	}
	nodes.Connect(SendNode(nodes, b, 0), nodes.JoinNode())
	nodes.Tie()
	_, issue := nodes.Issue()
	if err := first(want("dims", len(grid.Dims())+len(grid.Periods()), 0),
		want("edges", len(graph.Neighbors().Sources), 0),
		wantContains(issue, "the graph is nil")); err != nil {
		return err
	}
	for name, call := range calls {
		if err := wantIs(name, call(), ErrNoComm); err != nil {
			return err
		}
	}
	return first(want("rank", none.Rank(), Undefined), want("size", none.Size(), 0), want("name", none.Name(), ""),
		want("group", none.Group().Size(), 0), want("self", none.Self(), nil))
}

// A nil request stands for no operation, and a nil attribute has no values.
func TestNilReceivers(t *testing.T) {
	var r *Request
	st, err := r.Wait()
	require.NoError(t, err)
	require.Equal(t, Status{Source: AnySource, Tag: AnyTag}, st)
	_, done, err := r.Test()
	require.NoError(t, err)
	require.True(t, done)
	require.False(t, r.Active())
	require.NoError(t, r.Cancel())
	require.ErrorIs(t, r.Start(), ErrNotPersistent)
	require.ErrorIs(t, r.Free(), ErrNotPersistent)
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		var a *Attribute[int]
		_, ok := a.Get(c)
		a.Delete(c)
		return first(want("a value", ok, false), wantContains(a.Set(c, 1), "the key is nil"))
	})
}

func TestComparisonNames(t *testing.T) {
	require.Equal(t, "Identical Congruent Similar Unequal Comparison(4)",
		fmt.Sprint(Identical, " ", Congruent, " ", Similar, " ", Unequal, " ", Unequal+1))
}

// The operation is named once.
func TestErrorsHaveOnePrefix(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		comm.SetCheck(c.inner(), true)
		if c.Rank() == 1 {
			return wantContains(Bcast(c, []byte{1}, 0), "mpi: bcast: rank 0 and")
		}
		return wantContains(c.Barrier(), "mpi: barrier: rank 1 and")
	})
}

// TestSelfLosesItsAttributesFirst: libraries are told of the end by an attribute of Self.
func TestSelfLosesItsAttributesFirst(t *testing.T) {
	told := false
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		key := NewAttribute(nil, func(*Comm, int) { told = true })
		return key.Set(c.Self(), 1)
	})
	require.True(t, told)
}
