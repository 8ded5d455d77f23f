package goal

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gopvas/gopvas/loggps/graph"
)

// Write writes a graph as LogGOPSim reads it: no indentation, ranks in order, a label for
// every operation that another depends on, dependencies after the operations.
func Write(w io.Writer, g *graph.Graph) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "num_ranks %d\n", g.Ranks())
	for r := range g.Ranks() {
		fmt.Fprintf(b, "\nrank %d {\n", r)
		writeRank(b, g, g.Of(r))
		b.WriteString("}\n")
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("goal: write: %w", err)
	}
	return nil
}

func writeRank(b *bufio.Writer, g *graph.Graph, span graph.Span) {
	var line []byte
	for id := span.First; id < span.End; id++ {
		line = fmt.Appendf(line[:0], "l%d: ", id-span.First)
		line = appendOp(line, g.Op(id))
		b.Write(append(line, '\n'))
	}
	for id := span.First; id < span.End; id++ {
		for _, d := range g.Dependents(id) {
			word := "requires"
			if d.Dep() == graph.Irequires {
				word = "irequires"
			}
			line = fmt.Appendf(line[:0], "l%d %s l%d\n", d.ID()-span.First, word, id-span.First)
			b.Write(line)
		}
	}
}

func appendOp(line []byte, op *graph.Op) []byte {
	switch {
	case op.Kind.Sends():
		line = fmt.Appendf(line, "send %db to %d tag %d", op.Size, op.Peer, op.Tag)
	case op.Kind.Receives():
		line = fmt.Appendf(line, "recv %db from %d tag %d", op.Size, op.Peer, op.Tag)
	default: // a Wait has size 0
		line = fmt.Appendf(line, "calc %d", op.Size)
	}
	if op.CPU != 0 {
		line = fmt.Appendf(line, " cpu %d", op.CPU)
	}
	if op.NIC != 0 && (op.Kind.Sends() || op.Kind.Receives()) {
		line = fmt.Appendf(line, " nic %d", op.NIC)
	}
	return line
}
