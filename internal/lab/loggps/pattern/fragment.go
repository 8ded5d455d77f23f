package pattern

import "github.com/gopvas/gopvas/loggps/graph"

// Fragment returns a program with each message of more than most bytes cut into pieces of that size, and a last one. It
// is section 4.4 of the paper. size is the bytes of the message that an operation sends or receives. The pieces of a
// blocking operation follow one another, those of a nonblocking one are begun one after the other.
func Fragment(g *graph.Graph, most int64, size func(graph.ID) int64) (*graph.Graph, error) {
	b := graph.NewBuilder(g.Ranks())
	b.Name(g.Name)
	pieces := make([]graph.Span, g.Len())
	for rank := range g.Ranks() {
		b.Rank(rank)
		span := g.Of(rank)
		for id := span.First; id < span.End; id++ {
			pieces[id] = cut(b, *g.Op(id), most, size(id))
		}
		for id := span.First; id < span.End; id++ {
			for _, d := range g.Dependents(id) {
				behind(b, pieces[d.ID()].First, pieces[id], d.Dep())
			}
		}
		if b.Err() != nil {
			return nil, b.Err() // soon: there may be very many pieces
		}
	}
	return b.Graph()
}

// begun tells that what follows an operation waits only for its call.
func begun(op *graph.Op) bool { return op.Kind == graph.Isend || op.Kind == graph.Irecv }

// cut adds the pieces of an operation.
func cut(b *graph.Builder, op graph.Op, most, bytes int64) graph.Span {
	if !op.Kind.Sends() && !op.Kind.Receives() || bytes <= most {
		id := b.Add(op)
		return graph.Span{First: id, End: id + 1}
	}
	op.Size = most
	first := b.Add(op)
	last := first
	for rest := bytes - most; rest > 0 && b.Err() == nil; rest -= most {
		op.Size = min(rest, most)
		next := b.Add(op)
		if begun(&op) {
			b.Irequires(next, last)
		} else {
			b.Requires(next, last)
		}
		last = next
	}
	return graph.Span{First: first, End: last + 1}
}

// behind lets an operation depend on the pieces of another as it did on the whole.
func behind(b *graph.Builder, a graph.ID, on graph.Span, dep graph.Dep) {
	if b.Err() != nil {
		return
	}
	switch begun := begun(b.Op(on.First)); {
	case !begun && dep == graph.Irequires:
		on.End = on.First + 1 // it has started with its first piece
	case !begun || dep == graph.Irequires:
		on.First = on.End - 1
	}
	for piece := on.First; piece < on.End; piece++ {
		b.Depend(a, piece, dep)
	}
}
