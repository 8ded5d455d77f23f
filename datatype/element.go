package datatype

import (
	"fmt"
	"math/bits"
)

// Element is what a message consists of: the size of one element in bytes, and, if that is
// known, the basic numbers in it. Integers of one size are equal, and so are characters and
// logical values; those without a sign are others, but for bytes. A complex number is two
// floating-point ones. The numbers are not known if they are bytes or differ from one another.
//
// An Element has 64 bits: the size, the size of a number, and the class of the numbers. So a
// constant such as 8 is an element of 8 bytes of which no more is known.
type Element uint64

// Elements of one number.
const (
	ElementByte       Element = 1
	ElementInt8       Element = integerClass | 1*ofBytes | 1
	ElementInt16      Element = integerClass | 2*ofBytes | 2
	ElementInt32      Element = integerClass | 4*ofBytes | 4
	ElementInt64      Element = integerClass | 8*ofBytes | 8
	ElementFloat32    Element = floatClass | 4*ofBytes | 4
	ElementFloat64    Element = floatClass | 8*ofBytes | 8
	ElementComplex64  Element = floatClass | 4*ofBytes | 8
	ElementComplex128 Element = floatClass | 8*ofBytes | 16
)

const (
	ofBytes      Element = 1 << 48 // the unit of a number's size
	integerClass Element = 1 << 56
	floatClass   Element = 2 << 56

	// ElementUnsigned, added to an integer of more than one byte, says that it has no sign.
	ElementUnsigned Element = 4 << 56
	known                   = ^(ofBytes - 1) // the bits of the numbers
)

// ElementOf is an element of one basic type.
func ElementOf(kind Kind, size int) Element {
	e := Element(size)
	switch kind {
	case KindUnsigned:
		if size > 1 {
			e |= ElementUnsigned
		}
		return e | integerClass | Element(size)*ofBytes
	case KindInteger, KindCharacter, KindLogical:
		return e | integerClass | e*ofBytes
	case KindFloat:
		return e | floatClass | e*ofBytes
	case KindComplex:
		return e | floatClass | e/2*ofBytes
	}
	return e
}

// Size is the number of bytes of an element.
func (e Element) Size() int { return int(e &^ known) }

// Sized is an element of so many bytes that consists of the same numbers.
func (e Element) Sized(bytes int) Element { return e.Numbers() | Element(bytes) }

// Numbers is what is known of the numbers, 0 if nothing is.
func (e Element) Numbers() Element { return e & known }

// Matches tells whether what was sent as one element may be received as the other: it does
// not say no unless it knows the numbers of both.
func (e Element) Matches(f Element) bool {
	a, b := e.Numbers(), f.Numbers()
	return a == b || a == 0 || b == 0
}

// CodeBits is how many bits Code takes.
const CodeBits = 4

// Codes of integers, of floating-point numbers and of unsigned integers begin at these, and count the sizes 1, 2, 4, 8
// and 16.
const (
	integerCode  = 1
	floatCode    = 6
	unsignedCode = 11
)

// Code says what the numbers are in a few bits; 0: not known.
func (e Element) Code() uint64 {
	size := uint8(e / ofBytes)
	if size == 0 || size > 16 || size&(size-1) != 0 {
		return 0
	}
	log := uint64(bits.TrailingZeros8(size))
	switch e.Numbers() &^ (Element(size) * ofBytes) {
	case integerClass:
		return integerCode + log
	case floatClass:
		return floatCode + log
	case integerClass | ElementUnsigned:
		return unsignedCode + log
	}
	return 0
}

// ElementOfCode is an element of one of the numbers that a code stands for.
func ElementOfCode(code uint64) Element {
	first, class := uint64(integerCode), integerClass
	switch {
	case code == 0 || code >= 1<<CodeBits:
		return ElementByte
	case code >= unsignedCode:
		first, class = unsignedCode, integerClass|ElementUnsigned
	case code >= floatCode:
		first, class = floatCode, floatClass
	}
	size := Element(1) << (code - first)
	return class | size*ofBytes | size
}

// String says what the numbers are.
func (e Element) String() string {
	size := uint8(e / ofBytes)
	switch e.Numbers() &^ (Element(size) * ofBytes) {
	case integerClass:
		return fmt.Sprintf("%d-byte integers", size)
	case floatClass:
		return fmt.Sprintf("%d-byte floating-point numbers", size)
	case integerClass | ElementUnsigned:
		return fmt.Sprintf("%d-byte unsigned integers", size)
	}
	return "bytes"
}
