package remote

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/update"
)

// Place is where an operation reads or writes the memory of a target: a packed stream of bytes.
type Place struct {
	Rank   int
	Offset uintptr          // from the beginning of that memory: of the first byte, or of displacement zero
	Layout *datatype.Layout // nil: one piece
	Bytes  int              // of the stream
}

// cut divides a place into requests: do gets their pieces, where they begin in the stream, and their bytes.
// All have a whole number of units. Pairs have a piece each.
func (p *Place) cut(unit int, pairs bool, do func(pieces []byte, from, n int) error) error {
	next := func(at int) (addr uintptr, n int) {
		switch {
		case pairs:
			return p.Offset + p.pairAt(at), unit
		case p.Layout == nil:
			return p.Offset + uintptr(at), p.Bytes - at
		}
		var first [1]datatype.Segment
		datatype.Segments(first[:], p.Layout, p.Offset, int64(at))
		return first[0].Addr, int(first[0].Len)
	}
	for at := 0; at < p.Bytes; {
		var pieces []byte
		from := at
		for room := mostBytes / unit * unit; room > 0 && at < p.Bytes && len(pieces) < piecesAsked*pieceSize; {
			addr, n := next(at)
			n = min(n, room)
			pieces = binary.LittleEndian.AppendUint64(pieces, uint64(addr))
			pieces = binary.LittleEndian.AppendUint32(pieces, uint32(n))
			at, room = at+n, room-n
		}
		if err := do(pieces, from, at-from); err != nil {
			return err
		}
	}
	return nil
}

// pairAt is where the pair from a place of the stream on begins.
func (p *Place) pairAt(from int) uintptr {
	if p.Layout == nil {
		return uintptr(from)
	}
	var first [1]datatype.Segment
	datatype.Segments(first[:], p.Layout, 0, int64(from))
	return first[0].Addr
}

// Put copies a buffer to a place.
func (r *Ranks) Put(b *comm.Buffer, p *Place) error {
	return p.cut(1, false, func(pieces []byte, from, n int) error {
		q := request{what: askPut, pieces: pieces, bytes: n}
		return r.ask(p.Rank, &q, func(to []byte) { b.Pack(to, from) }, nil, &r.links[p.Rank].later)
	})
}

// Get copies a place to a buffer.
func (r *Ranks) Get(b *comm.Buffer, p *Place) error {
	g := gathering{r: r, rank: p.Rank, of: new(results)}
	err := p.cut(1, false, func(pieces []byte, from, n int) error {
		return g.ask(&request{what: askGet, pieces: pieces, bytes: n}, nil, from, b.Unpack)
	})
	return g.end(err, b.Unpack)
}

// Update has the target do an update of a place, which that of the update says nothing of.
func (r *Ranks) Update(u *update.Update, p *Place) error {
	g := gathering{r: r, rank: p.Rank, of: new(results)}
	into := func(stream []byte, from int) { copy(u.Out[from:], stream) }
	err := p.cut(u.E.Size, u.E.Pair != nil, func(pieces []byte, from, n int) error {
		q := request{what: askUpdate, op: u.Op, e: *u.E, pieces: pieces, bytes: n, compare: u.Compare}
		var stream func([]byte)
		if u.In != nil && u.Op.Code != update.NoOp {
			stream = func(to []byte) { copy(to, u.In[from:from+n]) }
		}
		if u.Out == nil {
			return r.ask(p.Rank, &q, stream, nil, &r.links[p.Rank].later)
		}
		q.flags |= flagResult
		return g.ask(&q, stream, from, into)
	})
	return g.end(err, into)
}

// gathering is an operation whose answers have bytes. They come in the order of the requests. They are kept until this
// rank copies them, so memory of the program is touched within the call alone.
type gathering struct {
	r     *Ranks
	rank  int
	of    *results
	parts []*part
}

// part is the answer to a request.
type part struct {
	from   int
	stream []byte
}

// mostParts bounds what is kept.
const mostParts = mostAhead / mostBytes

// ask asks for what belongs to a place of the stream. into is given parts of it, here and in end.
func (g *gathering) ask(q *request, stream func([]byte), from int, into func([]byte, int)) error {
	if err := g.take(mostParts-1, into); err != nil {
		return err
	}
	p := &part{from: from}
	err := g.r.ask(g.rank, q, stream, func(stream []byte) { p.stream = append(p.stream, stream...) }, g.of)
	if err == nil {
		g.parts = append(g.parts, p)
	}
	return err
}

// take takes answers until so many are yet to come.
func (g *gathering) take(left int64, into func([]byte, int)) error {
	if err := g.r.collect(g.rank, g.of, left, "an answer"); err != nil {
		return err
	}
	done := len(g.parts) - int(g.of.left.Load())
	for _, p := range g.parts[:done] {
		into(p.stream, p.from)
	}
	g.parts = g.parts[done:]
	return nil
}

// end ends the operation, which may have failed half-way.
func (g *gathering) end(err error, into func([]byte, int)) error {
	if err == nil {
		err = g.take(0, into)
	}
	if err != nil {
		g.r.giveUp(g.of)
	}
	return err
}
