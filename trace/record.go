package trace

import "encoding/binary"

// RecordSize is the number of bytes of an event in a buffer and in a file.
const RecordSize = 32

// Record is an event as a rank writes it: four words. See the description of the file.
type Record [4]uint64

// Raw is the content of a Record.
type Raw struct {
	Ticks   uint64 // start, since Meta.Base
	Took    uint32 // ticks, or the request of a message
	Bytes   uint32
	Tag     int32
	Number  uint32
	Context uint16
	Site    uint16
	Peer    uint16
	Flags   Flags
	Kind    Kind
}

// Pack returns the four words of an event.
func (r *Raw) Pack() Record {
	return Record{
		r.Ticks<<8 | uint64(r.Kind),
		uint64(r.Took) | uint64(r.Bytes)<<32,
		uint64(r.Context) | uint64(r.Site)<<16 | uint64(uint32(r.Tag))<<32,
		uint64(r.Peer) | uint64(r.Flags)<<16 | uint64(r.Number)<<32,
	}
}

// unpack reads a record.
func (r *Raw) unpack(b []byte) {
	w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	r.Kind, r.Ticks = Kind(w0), w0>>8
	r.Took, r.Bytes = uint32(w1), uint32(w1>>32)
	r.Context, r.Site, r.Tag = uint16(w2), uint16(w2>>16), int32(uint32(w2>>32))
	r.Peer, r.Flags, r.Number = uint16(w3), Flags(w3>>16), uint32(w3>>32)
}

// Wide returns the record that comes before one whose duration or length does not fit.
func Wide(took, bytes uint64) Raw {
	return Raw{Kind: wide, Took: uint32(took >> 32), Bytes: uint32(bytes >> 32)}
}

// What a table of a rank is about.
const (
	tableContext Flags = 1
	tableSite    Flags = 2
	tableCode    Flags = 3
)

// NameContext returns the records by which the number of a context gets its meaning.
func NameContext(number uint16, context uint32, name string) []Raw {
	return text(Raw{Kind: named, Flags: tableContext, Number: uint32(number), Tag: int32(context)}, name)
}

// NameSite returns the records by which the number of a call site gets its meaning.
func NameSite(number uint16, name string) []Raw {
	return text(Raw{Kind: named, Flags: tableSite, Number: uint32(number)}, name)
}

// maxText bounds what a text of a record may have.
const maxText = 4096

func text(head Raw, text string) []Raw {
	text = text[:min(len(text), maxText)]
	head.Bytes = uint32(len(text))
	list := []Raw{head}
	for ; len(text) > 0; text = text[min(len(text), RecordSize):] {
		var b [RecordSize]byte
		copy(b[:], text)
		list = append(list, Raw{})
		list[len(list)-1].unpack(b[:])
	}
	return list
}
