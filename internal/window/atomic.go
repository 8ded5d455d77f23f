package window

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/internal/coll/operator"
)

// Words that the processor changes at once. They lie at multiples of their size.

// aligned tells whether a word of a target can be changed so.
func aligned(addr uintptr, size int) bool { return addr&uintptr(size-1) == 0 }

// swap changes a word by an operator, and returns what it was.
func (op *Op) swap(addr uintptr, in uint64, e *Element) uint64 {
	switch e.Size {
	case 8:
		return op.swap64(addr, in, e)
	case 4:
		return op.swap32(addr, in, e)
	}
	return op.swapPart(addr, in, e)
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
		if word.CompareAndSwap(old, op.combine(old, in, e)) {
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
		if word.CompareAndSwap(old, uint32(op.combine(uint64(old), in, e))) {
			return uint64(old)
		}
	}
}

// swapPart is swap of one or two bytes: the word of four that they lie in is exchanged as a whole.
func (op *Op) swapPart(addr uintptr, in uint64, e *Element) uint64 {
	word, shift := word32(addr&^3), placeIn(addr, e.Size)
	mask := uint32(1)<<(8*e.Size) - 1
	for {
		all := word.Load()
		old := uint64(all >> shift & mask)
		if op.Code == NoOp {
			return old
		}
		next := uint32(op.combine(old, in, e)) & mask
		if word.CompareAndSwap(all, all&^(mask<<shift)|next<<shift) {
			return old
		}
	}
}

// placeIn is by how many bits a part of a word of four bytes is shifted.
func placeIn(addr uintptr, size int) uint {
	at := uint(addr & 3)
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		at = 4 - uint(size) - at
	}
	return 8 * at
}

// exchange puts a word in the place of one that is as expected, and returns what was there.
func exchange(addr uintptr, expected, in uint64, size int) uint64 {
	switch size {
	case 8:
		for word := word64(addr); ; {
			if old := word.Load(); old != expected || word.CompareAndSwap(old, in) {
				return old
			}
		}
	case 4:
		for word := word32(addr); ; {
			if old := word.Load(); old != uint32(expected) || word.CompareAndSwap(old, uint32(in)) {
				return uint64(old)
			}
		}
	}
	word, shift := word32(addr&^3), placeIn(addr, size)
	mask := uint32(1)<<(8*size) - 1
	for {
		all := word.Load()
		old := all >> shift & mask
		if old != uint32(expected) || word.CompareAndSwap(all, all&^(mask<<shift)|uint32(in)<<shift) {
			return uint64(old)
		}
	}
}

// load reads a word of 1, 2, 4 or 8 bytes, and store writes one.
func load(b []byte) uint64 {
	switch len(b) {
	case 8:
		return binary.NativeEndian.Uint64(b)
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	}
	return uint64(b[0])
}

func store(b []byte, v uint64) {
	switch len(b) {
	case 8:
		binary.NativeEndian.PutUint64(b, v)
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(v))
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(v))
	default:
		b[0] = byte(v)
	}
}
