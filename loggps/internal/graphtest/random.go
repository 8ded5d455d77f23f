package graphtest

import (
	"math/rand/v2"

	"github.com/gopvas/gopvas/loggps/graph"
)

// Shape bounds a random program.
type Shape struct {
	Ranks, Messages int
	Size, Calc      int64 // largest
	CPUs, NICs      int   // of a rank; 0: one
	SameTag         bool  // messages between two ranks have one tag and one size
	Anyone          bool  // receives take a message from any source
	Chain           bool  // each operation of a rank requires the one before
}

// Random makes a program.
func Random(rng *rand.Rand, s Shape) *graph.Graph {
	ops := make([][]graph.Op, s.Ranks)
	add := func(rank int, op graph.Op) {
		op.CPU = uint8(rng.IntN(max(s.CPUs, 1)))
		if op.Kind != graph.Calc {
			op.NIC = uint8(rng.IntN(max(s.NICs, 1)))
		}
		ops[rank] = append(ops[rank], op)
	}
	for m := range s.Messages {
		src, dst := rng.IntN(s.Ranks), rng.IntN(s.Ranks)
		if src == dst && !s.Anyone {
			dst = (dst + 1) % s.Ranks // a rank that waits for itself does not complete
		}
		size, tag, from := 1+rng.Int64N(s.Size), int32(m), int32(src)
		if s.SameTag || s.Anyone {
			size, tag = 1+s.Size/2, 0
		}
		if s.Anyone {
			from = graph.Any
		}
		if rng.IntN(2) == 0 {
			add(src, graph.Op{Kind: graph.Calc, Size: rng.Int64N(s.Calc + 1)})
		}
		add(src, graph.Op{Kind: graph.Send, Size: size, Peer: int32(dst), Tag: tag})
		add(dst, graph.Op{Kind: graph.Recv, Size: size, Peer: from, Tag: tag})
		if rng.IntN(2) == 0 {
			add(dst, graph.Op{Kind: graph.Calc, Size: rng.Int64N(s.Calc + 1)})
		}
	}
	b := graph.NewBuilder(s.Ranks)
	for r := range ops {
		b.Rank(r)
		depend(rng, s, b, ops[r])
	}
	g, err := b.Graph()
	if err != nil {
		panic(err) // a defect of this generator
	}
	return g
}

// depend adds the operations of a rank and lets them depend on earlier ones.
func depend(rng *rand.Rand, s Shape, b *graph.Builder, ops []graph.Op) {
	var first, receive graph.ID
	received := false
	for i, op := range ops {
		op.Site = uint32(i + 1)
		id := b.Add(op)
		if i == 0 {
			first = id
		}
		if (s.Anyone || s.SameTag) && op.Kind == graph.Recv {
			if received { // else a later one might take what this one needs
				b.Irequires(id, receive)
			}
			receive, received = id, true
		}
		if i == 0 {
			continue
		}
		if s.Chain {
			b.Requires(id, id-1)
			continue
		}
		for range rng.IntN(3) {
			on := first + graph.ID(rng.IntN(i))
			b.Depend(id, on, graph.Dep(rng.IntN(2)))
		}
	}
}
