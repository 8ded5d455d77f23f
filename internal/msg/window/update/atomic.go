package update

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/internal/msg/coll/operator"
)

// Words that the processor changes at once. They lie at multiples of their size.

// IsWord tells whether an element at an address is changed so. far is that of Place.
func (e *Element) IsWord(addr uintptr, far bool) bool {
	return e.Word && !far && addr&uintptr(e.Size-1) == 0
}

// Swap changes a word by an operator, and returns what it was.
func (op *Op) Swap(addr uintptr, in uint64, e *Element) uint64 {
	if e.Size == 8 {
		return op.swap64(addr, in, e)
	}
	return op.swap32(addr, in, e)
}

func (op *Op) swap64(addr uintptr, in uint64, e *Element) uint64 {
	word := word64(addr)
	switch op.Code {
	case operator.Sum:
		return word.Add(in) - in
	case Replace:
		return word.Swap(in)
	case NoOp:
		return word.Load()
	}
	for {
		old := word.Load()
		if now := op.combine(old, in, e); now == old || word.CompareAndSwap(old, now) {
			return old
		}
	}
}

func (op *Op) swap32(addr uintptr, in uint64, e *Element) uint64 {
	word := word32(addr)
	switch op.Code {
	case operator.Sum:
		return uint64(word.Add(uint32(in)) - uint32(in))
	case Replace:
		return uint64(word.Swap(uint32(in)))
	case NoOp:
		return uint64(word.Load())
	}
	for {
		old := word.Load()
		if now := uint32(op.combine(uint64(old), in, e)); now == old || word.CompareAndSwap(old, now) {
			return uint64(old)
		}
	}
}

// add adds words to those that follow an address.
func add(addr uintptr, in []byte, size int) {
	if size == 8 {
		for ; len(in) >= 8; in, addr = in[8:], addr+8 {
			word64(addr).Add(binary.NativeEndian.Uint64(in))
		}
		return
	}
	for ; len(in) >= 4; in, addr = in[4:], addr+4 {
		word32(addr).Add(binary.NativeEndian.Uint32(in))
	}
}

// exchange puts a word in the place of one that is as expected, and returns what was there.
func exchange(addr uintptr, expected, in uint64, size int) uint64 {
	if size == 8 {
		for word := word64(addr); ; {
			if old := word.Load(); old != expected || word.CompareAndSwap(old, in) {
				return old
			}
		}
	}
	for word := word32(addr); ; {
		if old := word.Load(); old != uint32(expected) || word.CompareAndSwap(old, uint32(in)) {
			return uint64(old)
		}
	}
}

// Load reads a word.
func Load(b []byte) uint64 {
	if len(b) == 8 {
		return binary.NativeEndian.Uint64(b)
	}
	return uint64(binary.NativeEndian.Uint32(b))
}

// Store writes a word.
func Store(b []byte, v uint64) {
	if len(b) == 8 {
		binary.NativeEndian.PutUint64(b, v)
	} else {
		binary.NativeEndian.PutUint32(b, uint32(v))
	}
}
