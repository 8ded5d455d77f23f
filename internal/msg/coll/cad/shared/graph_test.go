package shared

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/mpi/fault"
)

func TestWrongGraphsAreRefused(t *testing.T) {
	_, all := start(t, 2, true, Options{})
	for _, c := range []struct {
		name  string
		build func(g *cad.Graph)
		what  string
	}{
		{"no edges", func(*cad.Graph) {}, "node 0: START does not lead to END"},
		{"not reached", func(g *cad.Graph) { g.Connect(cad.Start, cad.End); g.Connect(g.Join(), cad.End) },
			"node 2: JOIN is not reached from START"},
		{"no end", func(g *cad.Graph) { g.Connect(cad.Start, cad.End); g.Connect(cad.Start, g.Join()) },
			"node 2: JOIN does not lead to END"},
		{"cycle", func(g *cad.Graph) {
			a, b := g.Join(), g.Join()
			g.Connect(cad.Start, a)
			g.Connect(a, b)
			g.Connect(b, a)
			g.Connect(b, cad.End)
		}, "has a cycle"},
		{"itself", func(g *cad.Graph) { a := g.Join(); g.Connect(a, a); g.Tie() }, "node 2: comes after itself"},
		{"before the start", func(g *cad.Graph) { g.Connect(g.Join(), cad.Start); g.Tie() }, ""},
		{"no such member", func(g *cad.Graph) { g.Send(nil, 2); g.Tie() },
			"node 2: SEND names member 2, there are 0..1"},
		{"negative member", func(g *cad.Graph) { g.Recv(nil, -1); g.Tie() }, "node 2: RECV names member -1"},
		{"no such node", func(g *cad.Graph) { g.Connect(cad.Start, 9); g.Tie() },
			"node 0 to node 9 of a graph with 2 nodes"},
		{"lengths", func(g *cad.Graph) { g.Copy(make([]byte, 3), make([]byte, 4)); g.Tie() },
			"node 2 (COPY) has 3 bytes to write and 4 bytes to read"},
		{"no operator", func(g *cad.Graph) { g.Calc(nil, nil, nil); g.Tie() }, "node 2 (CALC) has no operator"},
	} {
		g := cad.NewGraph()
		c.build(g)
		_, err := all[0].Issue(all[0].world, g)
		var wrong *fault.GraphError
		require.ErrorAs(t, err, &wrong, c.name)
		require.ErrorContains(t, err, c.what, c.name)
	}
	require.Zero(t, all[0].nodes.bytes+all[0].aux.bytes, "memory of refused graphs")
}

func TestConnectTwiceChangesNothing(t *testing.T) {
	root, all := start(t, 1, true, Options{})
	eachRank(t, root, all, func(r rank) error {
		g := cad.NewGraph()
		n := g.Join()
		g.Connect(cad.Start, n)
		g.Connect(cad.Start, n)
		g.Tie()
		return r.do(g)
	})
}

func TestDump(t *testing.T) {
	g := cad.NewGraph()
	recv := g.Recv(make([]byte, 5), 0)
	g.Connect(recv, g.Send(make([]byte, 5), 2))
	g.Tie()
	var out bytes.Buffer
	require.NoError(t, g.Dump(&out))
	for _, want := range []string{"digraph", `"RECV 2\n5 bytes from 0"`, `"SEND 3\n5 bytes to 2"`, "n0 -> n2",
		"n2 -> n3", "n3 -> n1"} {
		require.Contains(t, out.String(), want)
	}
	require.Equal(t, 1, strings.Count(out.String(), "n0 -> n2"))
}

func TestParsePolicy(t *testing.T) {
	for p := cad.Default; p <= cad.Share; p++ {
		got, err := cad.ParsePolicy(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	_, err := cad.ParsePolicy("lazy")
	require.ErrorContains(t, err, `"lazy": there are [default owner share]`)
}
