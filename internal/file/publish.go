package file

import (
	"encoding/binary"
	"math"
	"os"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// offer is what a rank tells the others of its part in a collective access.
type offer struct {
	code         int64 // of an error: then nobody does anything
	start, n     int64 // in its stream
	lo, hi       int64 // in the file
	extent       int64 // how long extents in the file are, about
	displacement int64
	base         uint64 // of its memory
	pid          int64
	scattered    int64 // 1: its memory lies in short pieces
	alone        int64 // 1: nobody can move bytes for it
	view, memory words // layouts; no words: one piece
}

// words are the flat form of a type in the memory of its rank, and how many of the type the layout has.
type words struct {
	at       uint64
	n, count int64
}

const offerSize = 8 * 17

// fields are the words of an offer, in their order.
func (o *offer) fields() []any {
	return []any{&o.code, &o.start, &o.n, &o.lo, &o.hi, &o.extent, &o.displacement, &o.base, &o.pid, &o.scattered,
		&o.alone, &o.view.at, &o.view.n, &o.view.count, &o.memory.at, &o.memory.n, &o.memory.count}
}

func (o *offer) encode() []byte {
	b := make([]byte, 0, offerSize)
	for _, field := range o.fields() {
		switch v := field.(type) {
		case *int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(*v))
		case *uint64:
			b = binary.LittleEndian.AppendUint64(b, *v)
		}
	}
	return b
}

func (o *offer) decode(b []byte) {
	for i, field := range o.fields() {
		word := binary.LittleEndian.Uint64(b[8*i:])
		switch v := field.(type) {
		case *int64:
			*v = int64(word)
		case *uint64:
			*v = word
		}
	}
}

// offerOf describes a party, or the error that it has.
func offerOf(p *party, err error) (o offer) {
	if o.code = codeOf(err); err != nil {
		return o
	}
	o.start, o.n, o.displacement, o.base, o.pid = p.start, p.n, p.view.Displacement, uint64(p.base), int64(os.Getpid())
	o.lo, o.hi = p.span()
	o.extent, _ = p.grain()
	o.view = wordsOf(&p.view.layout)
	if p.view.overlaps {
		o.alone = 1
	}
	if p.layout != nil {
		o.memory = wordsOf(p.layout)
		if p.scattered() {
			o.scattered = 1
		}
	}
	return o
}

func wordsOf(l *datatype.Layout) words {
	flat, count := l.Parts()
	at, n := flat.Address()
	return words{uint64(at), int64(n), count}
}

// mostWords is how many words of layouts ranks tell one another where they can not read them in place.
const mostWords = 4 << 20

// exchange tells all ranks of this one's part, and returns theirs.
func (f *File) exchange(mine offer) ([]offer, error) {
	all, err := f.gather(mine.encode())
	if err != nil {
		return nil, err
	}
	offers := make([]offer, f.ranks.Size())
	for rank := range offers {
		offers[rank].decode(all[rank*offerSize:])
	}
	return offers, nil
}

// refused returns the error of the first rank that has one.
func refused(offers []offer) error {
	for rank := range offers {
		if code := offers[rank].code; code != 0 {
			return &fault.FileError{Rank: rank, Offset: -1, Err: errorOf(code)}
		}
	}
	return nil
}

// parties are the parts of all ranks, where this process can read their layouts in place. Those without bytes are
// left out.
func (f *File) parties(offers []offer) ([]party, error) {
	var texts [][]byte
	if !f.direct {
		var err error
		if texts, err = f.layouts(offers); err != nil {
			return nil, err
		}
	}
	var list []party
	for rank := range offers {
		o := &offers[rank]
		if o.n == 0 {
			continue
		}
		p := party{start: o.start, n: o.n, base: uintptr(o.base)}
		p.view.Displacement = o.displacement
		if !f.direct {
			o.view.at, o.memory.at = located(texts[rank], o)
			if p.pid = int(o.pid); rank == f.ranks.Rank() {
				p.pid = 0
			}
		}
		var err error
		if p.view.layout, err = o.view.layout(); err != nil {
			return nil, err
		}
		if o.memory.n > 0 {
			memory, err := o.memory.layout()
			if err != nil {
				return nil, err
			}
			p.layout = &memory
		}
		list = append(list, p)
	}
	return list, nil
}

func (w *words) layout() (datatype.Layout, error) {
	return datatype.FlatAt(uintptr(w.at), int(w.n)).Times(w.count)
}

// layouts returns the words of all ranks' layouts, those of the view before those of the memory.
func (f *File) layouts(offers []offer) ([][]byte, error) {
	counts, displs := make([]int, len(offers)), make([]int, len(offers))
	total := 0
	for rank := range offers {
		counts[rank], displs[rank] = 8*int(offers[rank].view.n+offers[rank].memory.n), total
		total += counts[rank]
	}
	o := &offers[f.ranks.Rank()]
	mine := append([]byte(nil), memoryAt(uintptr(o.view.at), 8*o.view.n)...)
	if o.memory.n > 0 {
		mine = append(mine, memoryAt(uintptr(o.memory.at), 8*o.memory.n)...)
	}
	all := make([]byte, total)
	err := comm.RunCollective(f.ranks, "file", &coll.Args{Kind: coll.Allgather, Irregular: true,
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
	return view, view + 8*uint64(o.view.n)
}

// touched is the part of the file that some offers touch.
func touched(offers []offer) (lo, hi int64) {
	lo = math.MaxInt64
	for i := range offers {
		if o := &offers[i]; o.n > 0 {
			lo, hi = min(lo, o.lo), max(hi, o.hi)
		}
	}
	return min(lo, hi), hi
}
