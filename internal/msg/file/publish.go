package file

import (
	"math"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// offer is what a rank tells the others of its part in a collective call. All calls begin with one, of the same length:
// so ranks that make different calls hear of it, and are in step for the next one.
type offer struct {
	Call  call
	Code  int64    // of an error: then nobody does anything
	Alike [2]int64 // numbers that all ranks pass the same of

	// Of an access.
	Start, N     int64 // in its stream
	Lo, Hi       int64 // in the file
	Extent       int64 // how long extents in the file are, about
	Displacement int64
	Base         uint64 // of its memory
	Scattered    bool   // its memory lies in short pieces
	Alone        bool   // nobody can move bytes for it
	View, Memory words  // layouts; no words: one piece
}

// words are the flat form of a type in the memory of its rank, and how many of the type the layout has.
type words struct {
	At       uint64
	N, Count int64
}

// offerOf describes a party, or the error that it has.
func offerOf(a *Access, p *party, err error) (o offer) {
	o.Call, o.Code = a.call(), codeOf(err)
	if err != nil {
		return o
	}
	o.Start, o.N, o.Displacement = p.start, p.n, p.view.Displacement
	o.Base = uint64(p.memory.Base)
	o.Lo, o.Hi = p.span()
	o.Extent, _ = p.grain()
	o.View = wordsOf(&p.view.layout)
	if p.view.overlaps || p.tangled() {
		o.Alone = true
	}
	if p.memory.Layout != nil {
		o.Memory = wordsOf(p.memory.Layout)
		if p.scattered() {
			o.Scattered = true
		}
	}
	return o
}

func wordsOf(l *datatype.Layout) words {
	flat, count := l.Parts()
	at, n := flat.Address()
	return words{uint64(at), int64(n), count}
}

// mostWords is how many words of layouts ranks tell one another where they cannot read them in place.
const mostWords = 4 << 20

// exchange tells all ranks of this one's part, and returns theirs.
func (f *File) exchange(mine offer) ([]offer, error) {
	f.begun.Store(int64(mine.Call))
	return comm.Tell(f.ranks, f.doing(), mine)
}

// parties are the parts of all ranks, where this process can read their layouts in place. Those without bytes are
// left out.
func (f *File) parties(offers []offer) ([]party, error) {
	var texts [][]byte
	inPlace := f.nodes == nil && f.direct
	if !inPlace {
		var err error
		if texts, err = f.layouts(offers); err != nil {
			return nil, err
		}
	}
	var list []party
	for rank := range offers {
		o := &offers[rank]
		if o.N == 0 {
			continue
		}
		p := party{start: o.Start, n: o.N, memory: reach.Memory{Base: uintptr(o.Base)}, rank: rank}
		p.view.Displacement = o.Displacement
		if !inPlace {
			o.View.At, o.Memory.At = located(texts[rank], o)
		}
		if f.processes != nil {
			p.memory.Process = f.processes[rank]
		}
		var err error
		if p.view.layout, err = o.View.layout(); err != nil {
			return nil, err
		}
		if o.Memory.N > 0 {
			memory, err := o.Memory.layout()
			if err != nil {
				return nil, err
			}
			p.memory.Layout = &memory
		}
		list = append(list, p)
	}
	return list, nil
}

// bytes is a copy of them.
func (w *words) bytes() []byte {
	b := make([]byte, 8*w.N)
	_ = (&reach.Memory{Base: uintptr(w.At)}).Load(b, 0) // of this process
	return b
}

func (w *words) layout() (datatype.Layout, error) {
	return datatype.FlatAt(uintptr(w.At), int(w.N)).Times(w.Count)
}

// layouts returns the words of all ranks' layouts, those of the view before those of the memory.
func (f *File) layouts(offers []offer) ([][]byte, error) {
	counts, displs := make([]int, len(offers)), make([]int, len(offers))
	total := 0
	for rank := range offers {
		counts[rank], displs[rank] = 8*int(offers[rank].View.N+offers[rank].Memory.N), total
		total += counts[rank]
	}
	o := &offers[f.ranks.Rank()]
	mine := append(o.View.bytes(), o.Memory.bytes()...)
	all := make([]byte, total)
	err := comm.RunPart(f.ranks, f.doing(), &coll.Args{Kind: coll.Allgather, Irregular: true,
		Send: coll.Buffer{Data: mine}, Recv: coll.Buffer{Data: all, Counts: counts, Displs: displs, Unit: 1}})
	texts := make([][]byte, len(offers))
	for rank := range texts {
		texts[rank] = all[displs[rank]:][:counts[rank]]
	}
	return texts, err
}

// located is where the layouts of an offer lie in what its rank has told.
func located(text []byte, o *offer) (view, memory uint64) {
	if len(text) == 0 {
		return 0, 0
	}
	view = uint64(sys.AddrOf(text))
	return view, view + 8*uint64(o.View.N)
}

// touched is the part of the file that some offers touch.
func touched(offers []offer) (lo, hi int64) {
	lo = math.MaxInt64
	for i := range offers {
		if o := &offers[i]; o.N > 0 {
			lo, hi = min(lo, o.Lo), max(hi, o.Hi)
		}
	}
	return min(lo, hi), hi
}
