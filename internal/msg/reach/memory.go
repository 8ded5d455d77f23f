package reach

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Memory is a packed stream of bytes in the memory of a process.
type Memory struct {
	Process *Process         // nil: one whose memory this process can address
	Base    uintptr          // of the first byte, or with a layout of displacement zero
	Layout  *datatype.Layout // nil: one piece
}

// Load copies the stream from an offset on to dst. It ends within the stream.
func (m *Memory) Load(dst []byte, from int64) error {
	if m.Process != nil {
		return m.move(dst, from, sys.GatherProcess)
	}
	if src, ok := m.Whole(from, int64(len(dst))); ok {
		copy(dst, src)
	} else {
		datatype.Pack(dst, m.Layout, m.Base, from)
	}
	return nil
}

// Store copies src to the stream from an offset on.
func (m *Memory) Store(src []byte, from int64) error {
	if m.Process != nil {
		return m.move(src, from, sys.ScatterProcess)
	}
	if dst, ok := m.Whole(from, int64(len(src))); ok {
		copy(dst, src)
	} else {
		datatype.Unpack(src, m.Layout, m.Base, from)
	}
	return nil
}

func (m *Memory) move(bytes []byte, from int64, by mover) error {
	if m.Layout == nil {
		return m.Process.move(by, bytes, []sys.IOVec{{Base: m.Base + uintptr(from), Len: len(bytes)}})
	}
	var segments [sys.IOVecMax]datatype.Segment
	var pieces [sys.IOVecMax]sys.IOVec
	for len(bytes) > 0 {
		count, n := datatype.Segments(segments[:], m.Layout, m.Base, from)
		left := min(n, int64(len(bytes)))
		total := left
		k := 0
		for ; k < count && left > 0; k++ {
			length := min(int64(segments[k].Len), left)
			pieces[k] = sys.IOVec{Base: segments[k].Addr, Len: int(length)}
			left -= length
		}
		if err := m.Process.move(by, bytes[:total], pieces[:k]); err != nil {
			return err
		}
		bytes, from = bytes[total:], from+total
	}
	return nil
}
