package graph

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dependents are those of an operation, in words.
func dependents(g *Graph, id ID) (all []string) {
	for _, d := range g.Dependents(id) {
		all = append(all, d.Dep().String()+" "+string(rune('a'+d.ID())))
	}
	return all
}

// Those that depend on the start come first, each kind in the order of adding.
func TestDependents(t *testing.T) {
	b := NewBuilder(3)
	b.Rank(2)
	var ids []ID
	for range 5 {
		ids = append(ids, b.Add(Op{Kind: Wait}))
	}
	b.Requires(ids[4], ids[0])
	b.Irequires(ids[3], ids[0])
	b.Depend(ids[2], ids[0], Awaits)
	b.Requires(ids[2], ids[1])
	b.Irequires(ids[1], ids[0])
	b.Rank(0)
	last := b.Add(Op{Kind: Calc, Size: 5})
	g, err := b.Graph()
	require.NoError(t, err)
	assert.Equal(t, []string{"irequires d", "irequires b", "requires e", "awaits c"}, dependents(g, ids[0]))
	assert.Equal(t, []string{"requires c"}, dependents(g, ids[1]))
	assert.Empty(t, dependents(g, ids[4]))
	assert.Empty(t, dependents(g, last))
	assert.Equal(t, 6, g.Len())
	assert.Equal(t, 5, g.Deps())
	assert.Equal(t, Span{0, 5}, g.Of(2))
	assert.Zero(t, g.Of(1).Len())
	assert.True(t, g.HasWaits())
	assert.EqualValues(t, 2, g.Op(ids[3]).Rank)
}

// A blocking call is followed when it has completed, a nonblocking one when it has begun.
func TestCalls(t *testing.T) {
	b := NewBuilder(2)
	c := b.Calls(0)
	q := c.Isend(8, 1)
	c.CPU, c.NIC, c.Tag, c.Site = 1, 2, 3, 4
	r := c.Irecv(8, Any)
	c.Calc(7)
	w := c.Wait(q, r)
	c.Send(1, 1)
	g, err := b.Graph()
	require.NoError(t, err)
	assert.Equal(t, []string{"irequires b", "awaits d"}, dependents(g, q))
	assert.Equal(t, []string{"irequires c", "awaits d"}, dependents(g, r))
	assert.Equal(t, []string{"requires d"}, dependents(g, 2))
	assert.Equal(t, []string{"requires e"}, dependents(g, w))
	assert.Equal(t, Op{Kind: Irecv, Size: 8, Peer: Any, Tag: 3, Site: 4, CPU: 1, NIC: 2, next: 2}, *g.Op(r))
	assert.Equal(t, 2, g.CPUs())
	assert.Equal(t, 3, g.NICs())
	assert.True(t, g.Wildcards(0))
	assert.False(t, g.Wildcards(1))
}

func TestDescribe(t *testing.T) {
	b := NewBuilder(1)
	c := b.Calls(0)
	c.Tag = Any
	c.Irecv(5, Any)
	c.Site = 9
	c.Wait()
	b.Name("f")
	g, err := b.Graph()
	require.NoError(t, err)
	assert.Equal(t, "rank 0, operation 0: irecv 5 B from any, tag any", g.Describe(0))
	assert.Equal(t, "rank 0, f:9: wait", g.Describe(1))
}

func TestMistakes(t *testing.T) {
	for want, build := range map[string]func(b *Builder){
		"call Rank first":                 func(b *Builder) { b.Add(Op{}) },
		"begin rank 2: there are 2 ranks": func(b *Builder) { b.Rank(2) },
		"begin rank -1":                   func(b *Builder) { b.Calls(-1).Send(1, 1) },
		"rank 0: it has been built":       func(b *Builder) { b.Rank(0); b.Rank(1); b.Rank(0) },
		"kind 6 is unknown":               func(b *Builder) { b.Rank(0); b.Add(Op{Kind: 6}) },
		"send of size -1":                 func(b *Builder) { b.Calls(0).Send(-1, 1) },
		"calc of size 9007199254740993":   func(b *Builder) { b.Calls(0).Calc(MaxSize + 1) },
		"send: peer 2: there are 2 ranks": func(b *Builder) { b.Calls(0).Send(1, 2) },
		"send: peer -1":                   func(b *Builder) { b.Calls(0).Send(1, Any) },
		"recv: peer -2":                   func(b *Builder) { b.Calls(0).Recv(1, -2) },
		"send: tag -1":                    func(b *Builder) { c := b.Calls(0); c.Tag = Any; c.Send(1, 1) },
		"must be of the rank that was": func(b *Builder) {
			a := b.Calls(0).Calc(1)
			b.Requires(b.Calls(1).Calc(1), a)
		},
		"operation 7 requires 0": func(b *Builder) { b.Requires(7, b.Calls(0).Calc(1)) },
		"only a wait can":        func(b *Builder) { a := b.Calls(0).Calc(1); b.Depend(a, a, Awaits) },
		"kind 3 of dependency":   func(b *Builder) { a := b.Calls(0).Calc(1); b.Depend(a, a, 3) },
		"rank 1, operation 1: calc 2 ns: it waits for itself": func(b *Builder) {
			b.Calls(0).Calc(9)
			b.Rank(1)
			var ids []ID
			for i := range 5 { // 0 waits for 1, 1 for 3, 3 for 2, 2 for 1; 4 for nothing
				ids = append(ids, b.Add(Op{Kind: Calc, Size: int64(i + 1)}))
			}
			b.Requires(ids[0], ids[1])
			b.Irequires(ids[1], ids[3])
			b.Requires(ids[3], ids[2])
			b.Requires(ids[2], ids[1])
		},
	} {
		b := NewBuilder(2)
		build(b)
		g, err := b.Graph()
		assert.Nil(t, g)
		assert.ErrorContains(t, err, want)
	}
	_, err := NewBuilder(0).Graph()
	assert.ErrorContains(t, err, "0 ranks")
	b := NewBuilder(1)
	_, err = b.Graph()
	require.NoError(t, err)
	_, err = b.Graph()
	assert.ErrorContains(t, err, "begin another one")
}
