package capi

// Language is how the program hands over or wants a value of an attribute, and what a callback of
// it takes.
type Language int

const (
	inC           Language = iota // a pointer
	inInteger                     // in Fortran: a default INTEGER
	inAddressSize                 // in Fortran: an INTEGER of the size of an address
	byProxy                       // the same for a callback, whose copy is set in the language of the original
)

// attributeValue is a value as it was set. For C an integer is a pointer to it, in memory that stays
// where it is as long as the attribute lives. For Fortran a pointer is an integer (MPI 5.0, 19.3.7).
type attributeValue struct {
	set     Language
	pointer Address    // what C has set
	integer *[1]uint64 // what Fortran has set
}

// newValue is the value that the program has at an address, or that is the address if it is in C.
func newValue(at Address, set Language) attributeValue {
	if set == inC {
		return attributeValue{pointer: at}
	}
	return integerValue(loadWord(uintptr(at)), set)
}

func integerValue(v uintptr, set Language) attributeValue {
	cell := newCells(1)
	cell[0] = uint64(v)
	return attributeValue{set: set, integer: (*[1]uint64)(cell)}
}

// as is the value as the program takes it.
func (v attributeValue) as(wanted Language) Address {
	number := v.pointer
	switch {
	case v.set == inC && wanted == inC:
		return v.pointer
	case wanted == inC:
		return Address(addressOf(v.integer[:], 0))
	case v.set != inC:
		number = Address(v.integer[0])
	}
	if wanted == inInteger {
		number = Address(int32(number)) // with its sign
	}
	return number
}

// replace gives the attribute another value. A pointer to an integer stays one.
func (v *attributeValue) replace(by attributeValue) {
	if v.set != inC && by.set != inC {
		v.set, v.integer[0] = by.set, by.integer[0]
	} else {
		*v = by
	}
}

// copied is the value of another object.
func (v attributeValue) copied() attributeValue {
	if v.set == inC {
		return v
	}
	return integerValue(uintptr(v.integer[0]), v.set)
}

// madeBy is what a callback has made of the value: a copy, if it gives back what it was given.
func (v attributeValue) madeBy(language Language, out uintptr) attributeValue {
	switch {
	case Address(out) == v.as(language):
		return v.copied()
	case language == byProxy:
		language = v.set
	}
	if language == inC {
		return attributeValue{pointer: Address(out)}
	}
	return integerValue(out, language)
}

// wantedValue is where the program wants a value.
type wantedValue struct {
	at AddressRef
	as Language
}

func (w wantedValue) set(v attributeValue) { w.at.Set(v.as(w.as)) }
