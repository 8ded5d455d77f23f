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
	for n, s := range g.Nodes {
		fmt.Fprintf(out, "\tn%d [label=%q];\n", n, s.label(n))
	}
	edges, _ := g.Successors()
	for _, e := range edges {
		fmt.Fprintf(out, "\tn%d -> n%d;\n", e.From, e.To)
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

func (s *Spec) label(n int) string {
	switch s.Kind {
	case Send:
		return fmt.Sprintf("SEND %d\n%d bytes to %d", n, s.Src.Len(), s.Peer)
	case Recv:
		if s.Folds() {
			return fmt.Sprintf("RECV and CALC %d\n%d bytes from %d", n, s.Dst.Len(), s.Peer)
		}
		return fmt.Sprintf("RECV %d\n%d bytes from %d", n, s.Dst.Len(), s.Peer)
	case Copy, Calc:
		return fmt.Sprintf("%v %d\n%d bytes", s.Kind, n, s.Dst.Len())
	case Join, Call:
		return fmt.Sprintf("%v %d", s.Kind, n)
	}
	return s.Kind.String()
}
