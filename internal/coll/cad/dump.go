package cad

import (
	"bufio"
	"fmt"
	"io"
)

// Dump writes the graph in the language of Graphviz: `dot -Tsvg` draws it.
func (g *Graph) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph cad {\n\trankdir=LR; node [shape=box];")
	for n, s := range g.nodes {
		fmt.Fprintf(out, "\tn%d [label=%q];\n", n, s.label(n))
	}
	edges, _ := g.successors()
	for _, e := range edges {
		fmt.Fprintf(out, "\tn%d -> n%d;\n", e.from, e.to)
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

func (s *spec) label(n int) string {
	switch s.kind {
	case Send:
		return fmt.Sprintf("SEND %d\n%d bytes to %d", n, s.src.Len(), s.peer)
	case Recv:
		if s.folds() {
			return fmt.Sprintf("RECV and CALC %d\n%d bytes from %d", n, s.dst.Len(), s.peer)
		}
		return fmt.Sprintf("RECV %d\n%d bytes from %d", n, s.dst.Len(), s.peer)
	case Copy, Calc:
		return fmt.Sprintf("%v %d\n%d bytes", s.kind, n, s.dst.Len())
	case Join, Call:
		return fmt.Sprintf("%v %d", s.kind, n)
	}
	return s.kind.String()
}
