package pattern

import "github.com/gopvas/gopvas/loggps/graph"

// A Transfer is a message of a rank that goes through one of its devices, and arrives through
// the device of the same number.
type Transfer struct {
	Peer   int
	Bytes  int64
	Tag    int32
	Device uint8
}

// Devices makes the graph of an exchange through several devices (NICs). Each device of a rank
// sends the rank's transfers out of it in their order, and needs no CPU of the others.
func Devices(ranks int, transfers func(rank int) (out, in []Transfer)) (*graph.Graph, error) {
	b := graph.NewBuilder(ranks)
	for rank := range ranks {
		if b.Err() != nil {
			break
		}
		b.Rank(rank)
		out, in := transfers(rank)
		for _, t := range in {
			b.Add(t.op(graph.Recv))
		}
		last := map[uint8]graph.ID{}
		for _, t := range out {
			id := b.Add(t.op(graph.Isend))
			if before, ok := last[t.Device]; ok {
				b.Irequires(id, before)
			}
			last[t.Device] = id
		}
	}
	return b.Graph()
}

func (t Transfer) op(kind graph.Kind) graph.Op {
	return graph.Op{Kind: kind, Size: t.Bytes, Peer: int32(t.Peer), Tag: t.Tag, CPU: t.Device, NIC: t.Device}
}

// Torus is a periodic grid of ranks.
type Torus struct{ Sides []int }

// Ranks is the product of the sides.
func (t Torus) Ranks() int {
	n := 1
	for _, side := range t.Sides {
		n *= side
	}
	return n
}

// Neighbor returns the rank that is so many steps further on along a dimension.
func (t Torus) Neighbor(rank, dimension, steps int) int {
	stride := 1
	for _, side := range t.Sides[:dimension] {
		stride *= side
	}
	side := t.Sides[dimension]
	at := rank / stride % side
	to := ((at+steps)%side + side) % side
	return rank + (to-at)*stride
}
