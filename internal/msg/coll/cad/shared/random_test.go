package shared

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// program is a random collective algorithm: steps on the blocks of all ranks, that have
// the same result as one after the other, whatever order their graphs allow.
type program struct {
	ranks, blocks int
	steps         []step
	graphs        int // the steps are cut into as many graphs per rank
}

type step struct {
	kind     cad.Kind // Send stands for a pair
	folds    bool     // its RECV combines
	from, to int      // ranks; the same but for pairs
	src, dst int      // blocks
	graph    int
}

// lengths of blocks differ between programs: some are inline, some are not.
func newProgram(rng *rand.Rand, ranks int) *program {
	p := &program{ranks: ranks, blocks: 1 + rng.IntN(5), graphs: 1 + rng.IntN(3)}
	n := rng.IntN(60)
	for i := range n {
		s := step{kind: cad.Send, from: rng.IntN(ranks), src: rng.IntN(p.blocks), dst: rng.IntN(p.blocks),
			graph: i * p.graphs / n}
		switch rng.IntN(4) {
		case 0:
			s.kind = cad.Copy
		case 1:
			s.kind = cad.Calc
		}
		if s.to = s.from; s.kind == cad.Send {
			s.to, s.folds = rng.IntN(ranks), rng.IntN(3) == 0
		}
		if s.to == s.from && s.src == s.dst {
			continue
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// mix is not commutative, and so finds out what is done in the wrong order.
func mix(inout, in []byte) {
	for i := range inout {
		inout[i] = inout[i]*3 + in[i] ^ 0x5a
	}
}

func (p *program) memory(rng *rand.Rand, length int) [][][]byte {
	m := make([][][]byte, p.ranks)
	for r := range m {
		m[r] = make([][]byte, p.blocks)
		for b := range m[r] {
			m[r][b] = make([]byte, length)
			for i := range m[r][b] {
				m[r][b][i] = byte(rng.Uint32())
			}
		}
	}
	return m
}

// inOrder is the oracle.
func (p *program) inOrder(m [][][]byte) {
	for _, s := range p.steps {
		src, dst := m[s.from][s.src], m[s.to][s.dst]
		if s.kind == cad.Calc || s.folds {
			mix(dst, src)
		} else {
			copy(dst, src)
		}
	}
}

// graph returns a rank's part of one of the graphs.
func (p *program) graph(rank, number int, m [][]byte, op *cad.Op, rng *rand.Rand) *cad.Graph {
	g := cad.NewGraph()
	writer := make([]cad.Node, p.blocks)    // last to write a block
	readers := make([][]cad.Node, p.blocks) // since then
	reads := func(n cad.Node, b int) {
		if writer[b] != 0 {
			g.Connect(writer[b], n)
		}
		readers[b] = append(readers[b], n)
	}
	writes := func(n cad.Node, b int) {
		if writer[b] != 0 {
			g.Connect(writer[b], n)
		}
		for _, r := range readers[b] {
			if r != n {
				g.Connect(r, n)
			}
		}
		writer[b], readers[b] = n, nil
	}
	for _, s := range p.steps {
		if s.graph != number {
			continue
		}
		switch {
		case s.kind == cad.Copy && s.from == rank:
			n := g.Copy(m[s.dst], m[s.src])
			reads(n, s.src)
			writes(n, s.dst)
		case s.kind == cad.Calc && s.from == rank:
			n := g.Calc(op, m[s.dst], m[s.src])
			reads(n, s.src)
			writes(n, s.dst)
		case s.kind == cad.Send:
			p.pair(g, rank, s, m, op, reads, writes)
		}
		if rng.IntN(8) == 0 {
			n := g.Join()
			g.Connect(cad.Node(rng.IntN(int(n)-1)+1)%n, n) // from END it would be a mistake
			if g.Edges[len(g.Edges)-1].From == cad.End {
				g.Edges = g.Edges[:len(g.Edges)-1]
			}
		}
	}
	g.Tie()
	return g
}

// pair adds this rank's end of a message, or both. A message to itself has to end before
// what comes next, though its SEND and its RECV are nodes of their own.
func (p *program) pair(g *cad.Graph, rank int, s step, m [][]byte, op *cad.Op, reads, writes func(cad.Node, int)) {
	if s.from == rank {
		reads(g.Send(m[s.src], s.to), s.src)
	}
	switch {
	case s.to != rank:
	case s.folds:
		writes(g.Fold(op, m[s.dst], s.from), s.dst)
	default:
		writes(g.Recv(m[s.dst], s.from), s.dst)
	}
}

func TestRandomPrograms(t *testing.T) {
	base := seed(t)
	for _, direct := range []bool{true, false} {
		for _, policy := range []cad.Policy{cad.Owner, cad.Share} {
			if !direct && policy != cad.Owner {
				continue
			}
			for _, named := range []bool{false, true} {
				t.Run(fmt.Sprintf("direct=%v/policy=%v/named=%v", direct, policy, named), func(t *testing.T) {
					for i := range *seeds {
						randomProgram(t, base+uint64(i), direct, policy, named)
					}
				})
			}
		}
	}
}

func randomProgram(t *testing.T, seed uint64, direct bool, policy cad.Policy, named bool) {
	rng := rand.New(rand.NewPCG(seed, 0))
	ranks := 1 + rng.IntN(6)
	p := newProgram(rng, ranks)
	length := []int{0, 1, 100, inlineBytes + 1, 3 * inlineBytes}[rng.IntN(5)]
	op := &cad.Op{Size: 1, Apply: mix}
	if named {
		op.Name = 1
	}
	m := p.memory(rand.New(rand.NewPCG(seed, 1)), length)
	want := p.memory(rand.New(rand.NewPCG(seed, 1)), length)
	p.inOrder(want)
	root, all := start(t, ranks, direct, Options{Policy: policy,
		Resolve: func(uint64) func(inout, in []byte) { return mix }})
	helpers := rng.IntN(ranks + 1)
	for i := range helpers {
		all[i].StartHelper()
	}
	eachRank(t, root, all, func(r rank) error {
		rng := rand.New(rand.NewPCG(seed, uint64(r.rank)+2))
		for number := range p.graphs {
			g := p.graph(r.rank, number, m[r.rank], op, rng)
			g.Urgent = rng.IntN(2) == 0
			for range rng.IntN(3) {
				runtime.Gosched()
			}
			if err := r.do(g); err != nil {
				return fmt.Errorf("seed %d, rank %d, graph %d: %w", seed, r.rank, number, err)
			}
		}
		return nil
	})
	for r := range m {
		for b := range m[r] {
			require.True(t, bytes.Equal(want[r][b], m[r][b]), "seed %d: block %d of rank %d", seed, b, r)
		}
	}
}
