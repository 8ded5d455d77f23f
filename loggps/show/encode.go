package show

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"math"
)

// header tells the script of the page how to read the data: columns of little endian
// numbers, one column after the other, compressed.
type header struct {
	Unit      float64      `json:"unit"` // ns
	Total     float64      `json:"total"`
	Ranks     int          `json:"ranks"`
	Kinds     []string     `json:"kinds"`
	Own       bool         `json:"own"`   // the kinds are the page's: pieces bear their names
	Names     []string     `json:"names"` // of the lanes; null: rank 0, ...
	Calls     []string     `json:"calls"`
	Sites     []string     `json:"sites"`
	Timelines []timelineAt `json:"timelines"`
}

// timelineAt says how long the columns of a timeline are. They are, of pieces: gap behind the
// one before and length (uint32, units), bytes (uint32), peer (int32), site (uint32), kind and
// call (uint8); of messages: sent, came, bytes (uint32), source and destination (uint16); of
// hops: from, to (uint32), rank (uint16). Each column begins at a multiple of 4 bytes.
type timelineAt struct {
	Name     string `json:"name"`
	Lanes    []int  `json:"lanes"` // pieces of each rank
	Messages int    `json:"messages"`
	Path     int    `json:"path"`
}

// A scale turns times into whole numbers of units.
type scale struct{ unit float64 }

// newScale makes a unit of 2^-30 of the total: times fit 32 bits, and no rounding is visible.
func newScale(total float64) scale {
	if !(total > 0) {
		total = 1
	}
	return scale{total / (1 << 30)}
}

func (s scale) units(ns float64) uint32 {
	return uint32(min(max(math.Round(ns/s.unit), 0), math.MaxUint32))
}

// writeColumn writes a number of each item, padded.
func writeColumn[T any, N uint8 | uint16 | uint32 | int32](out *bytes.Buffer, items []T, number func(*T) N) {
	b := out.AvailableBuffer()
	for i := range items {
		b, _ = binary.Append(b, binary.LittleEndian, number(&items[i])) // numbers of fixed size: no error
	}
	for (out.Len()+len(b))%4 != 0 {
		b = append(b, 0)
	}
	out.Write(b)
}

// encode adds the columns of a timeline.
func (t *Timeline) encode(out *bytes.Buffer, s scale) timelineAt {
	at := timelineAt{Name: t.Name, Messages: len(t.Messages), Path: len(t.Path)}
	var all []Piece
	var gaps, lengths []uint32
	for _, lane := range t.Lanes {
		at.Lanes = append(at.Lanes, len(lane))
		all = append(all, lane...)
		now := uint32(0)
		for _, p := range lane {
			from := max(s.units(p.From), now)
			to := max(s.units(p.To), from)
			gaps, lengths = append(gaps, from-now), append(lengths, to-from)
			now = to
		}
	}
	same := func(n *uint32) uint32 { return *n }
	writeColumn(out, gaps, same)
	writeColumn(out, lengths, same)
	writeColumn(out, all, func(p *Piece) uint32 { return clamp(p.Bytes) })
	writeColumn(out, all, func(p *Piece) int32 { return p.Peer })
	writeColumn(out, all, func(p *Piece) uint32 { return p.Site })
	writeColumn(out, all, func(p *Piece) uint8 { return uint8(p.Kind) })
	writeColumn(out, all, func(p *Piece) uint8 { return p.Call })
	writeColumn(out, t.Messages, func(m *Message) uint32 { return s.units(m.Sent) })
	writeColumn(out, t.Messages, func(m *Message) uint32 { return s.units(m.Came) })
	writeColumn(out, t.Messages, func(m *Message) uint32 { return clamp(m.Bytes) })
	writeColumn(out, t.Messages, func(m *Message) uint16 { return uint16(m.Src) })
	writeColumn(out, t.Messages, func(m *Message) uint16 { return uint16(m.Dst) })
	writeColumn(out, t.Path, func(h *Hop) uint32 { return s.units(h.From) })
	writeColumn(out, t.Path, func(h *Hop) uint32 { return s.units(h.To) })
	writeColumn(out, t.Path, func(h *Hop) uint16 { return uint16(h.Rank) })
	return at
}

func clamp(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// pack compresses data and writes them as text.
func pack(data []byte) (string, error) {
	var out bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &out)
	z := gzip.NewWriter(text)
	if _, err := z.Write(data); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	if err := text.Close(); err != nil {
		return "", err
	}
	return out.String(), nil
}
