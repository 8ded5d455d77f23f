package capi

import "math"

// Handles of MPI objects. A handle below 0x400 is a constant of the ABI (constants_gen.go).
type (
	Comm       uintptr
	Group      uintptr
	Type       uintptr // MPI_Datatype
	Op         uintptr
	Request    uintptr
	Info       uintptr
	Errhandler uintptr
	Win        uintptr
	File       uintptr
	Session    uintptr
	Message    uintptr
	Graph      uintptr // MPIX_Graph

	T_enum               uintptr
	T_cvar_handle        uintptr
	T_pvar_handle        uintptr
	T_pvar_session       uintptr
	T_event_registration uintptr
	T_event_instance     uintptr
)

// Address is the address of a buffer of the program, BOTTOM or IN_PLACE, or any other void *.
type Address uintptr

// nowhere tells whether there is no memory of a program: in the first page, or where the addresses of the kernel are.
// MPI_BOTTOM and MPI_IN_PLACE are there.
func (a Address) nowhere() bool { return int(a) < firstPage }

// Func is a function of the program. Large says that it has the signature of the large
// form, as the function of MPI_Op_create_c has.
type Func struct {
	Entry   uintptr
	Large   bool
	Fortran bool // its handles are integers of Fortran, where the face has other ones there
}

// shown is the handle of a number, for the function.
func (f Func) shown(number uintptr) uintptr {
	if handlesAreObjects && f.Fortran && number < constants && Integers[number] != 0 {
		return uintptr(Integers[number] - 1)
	}
	return outward(number)
}

// Form is the form of the function that was called: MPI_X, MPI_X_c or MPI_X_x.
type Form int

const (
	baseForm Form = iota
	largeForm
)

// Ref is where the program wants an integer: an int, or in large forms 64 bits.
type Ref struct {
	addr uintptr
	wide bool
}

// Nil tells whether the program has passed a null pointer.
func (r Ref) Nil() bool { return r.addr == 0 }

// Get reads the integer.
func (r Ref) Get() int { return loadInt(r.addr, r.wide) }

// Set writes the integer.
func (r Ref) Set(v int) { storeInt(r.addr, v, r.wide) }

// SetBool writes 1 or 0.
func (r Ref) SetBool(v bool) {
	if v {
		r.Set(1)
	} else {
		r.Set(0)
	}
}

// Fits tells whether the program can be told v: an int takes 31 bits and a sign.
func (r Ref) Fits(v int) bool { return r.wide || v >= math.MinInt32 && v <= math.MaxInt32 }

// SetCount writes a count, or MPI_UNDEFINED if it does not fit.
func (r Ref) SetCount(v int) {
	if !r.Fits(v) {
		v = UNDEFINED
	}
	r.Set(v)
}

// Ints is an array of ints, or in large forms of 64-bit integers.
type Ints struct {
	addr uintptr
	wide bool
}

// Nil tells whether the program has passed a null pointer.
func (a Ints) Nil() bool { return a.addr == 0 }

// Is tells whether the array is a constant of the ABI: UNWEIGHTED or WEIGHTS_EMPTY.
func (a Ints) Is(constant Address) bool { return a.addr == uintptr(constant) }

// At reads element i.
func (a Ints) At(i int) int { return loadInt(a.at(i), a.wide) }

// Set writes element i.
func (a Ints) Set(i, v int) { storeInt(a.at(i), v, a.wide) }

// Copy returns the first n elements.
func (a Ints) Copy(n int) []int { return a.CopyTo(make([]int, n)) }

// CopyTo fills a list with the first elements, and returns it.
func (a Ints) CopyTo(list []int) []int {
	for i := range list {
		list[i] = a.At(i)
	}
	return list
}

func (a Ints) at(i int) uintptr {
	if a.wide {
		return a.addr + uintptr(i)*8
	}
	return a.addr + uintptr(i)*4
}

// A handle in the memory of the program is its number. In a face with objects a predefined handle is the address of an
// object, which has the number in its first word: see api.Face. All other handles have a kind in their lower bits. In
// addresses of objects those are 0. In a face with ints predefined handles have values of their own. All others have
// the bit madeBit besides their number. The arguments of a call have numbers in place of handles already.

// Objects are the addresses of predefined handles by their numbers; 0: the handle is its number. cmd/libmpi sets it.
var Objects *[constants]uintptr

// Integers are the predefined handles in Fortran by their numbers, plus 1; 0: there is none. cmd/libmpi sets it.
var Integers *[constants]int16

// Values are the predefined handles of a face with ints by their numbers, and Numbers the numbers by intPlace of the
// handles. cmd/libmpi sets both.
var (
	Values  *[constants]uint32
	Numbers *[intPlaces]PredefinedInt
)

// PredefinedInt is a predefined handle of a face with ints, and its number.
type PredefinedInt struct{ Value, Number uint32 }

const (
	constants = 0x400 // above all numbers of predefined handles

	madeBit  = 1 << 31
	noHandle = kindMask // the number of what is no handle

	// A value has a kind in its upper 6 bits. Values of one kind differ in the lower 7.
	intPlaces = 64 << 7
)

func intPlace(value uint32) uint32 { return value>>26<<7 | value&0x7f }

// numberOf is the number of a handle of a face with ints. Some predefined ones have madeBit, too: their place is 0,
// which is below firstPlace.
func numberOf(value uint32) uintptr {
	const place = (1<<placeBits - 1) << kindBits
	if value >= madeBit && value&place != 0 {
		return uintptr(value ^ madeBit)
	}
	if p := &Numbers[intPlace(value)]; p.Value == value {
		return uintptr(p.Number)
	}
	return noHandle
}

// inward is the number of a handle of the program.
func inward(h uintptr) uintptr {
	if handlesAreInts {
		return numberOf(uint32(h))
	}
	if handlesAreObjects && h >= constants && h&kindMask == 0 {
		return loadWord(h)
	}
	return h
}

// outward is the handle of a number, for the program.
func outward(number uintptr) uintptr {
	switch {
	case handlesAreInts && number < uintptr(doneRequest): // all other numbers are above that
		return uintptr(Values[number])
	case handlesAreInts:
		return number | madeBit
	}
	if handlesAreObjects && number < constants && Objects[number] != 0 {
		return Objects[number]
	}
	return number
}

// shownNull is MPI_REQUEST_NULL in the memory of the program.
func shownNull() held { return held(outward(uintptr(REQUEST_NULL))) }

// request is the request of a handle that is not null. What is no handle of a request gives no request.
func (h held) request() Request {
	if handlesAreInts {
		h ^= madeBit
	}
	return Request(h)
}

// Ptr is where the program wants a handle.
type Ptr[T ~uintptr] struct{ addr uintptr }

// Nil tells whether the program has passed a null pointer.
func (p Ptr[T]) Nil() bool { return p.addr == 0 }

// WidePtr is where the program wants a handle that has 64 bits in every face.
type WidePtr[T ~uintptr] struct{ addr uintptr }

// Nil tells whether the program has passed a null pointer.
func (p WidePtr[T]) Nil() bool { return p.addr == 0 }

// Get reads the handle.
func (p WidePtr[T]) Get() T { return T(inward(loadWord(p.addr))) }

// Set writes the handle.
func (p WidePtr[T]) Set(v T) { storeWord(p.addr, outward(uintptr(v))) }

// AddressRef is where the program wants an address.
type AddressRef struct{ addr uintptr }

// Set writes the address.
func (r AddressRef) Set(v Address) { storeWord(r.addr, uintptr(v)) }

// Handles is an array of handles.
type Handles[T ~uintptr] struct{ addr uintptr }

// Nil tells whether the program has passed a null pointer.
func (a Handles[T]) Nil() bool { return a.addr == 0 }

// At reads element i.
func (a Handles[T]) At(i int) T { return a.ptr(i).Get() }

// Set writes element i.
func (a Handles[T]) Set(i int, v T) { a.ptr(i).Set(v) }

// ptr is where element i is.
func (a Handles[T]) ptr(i int) Ptr[T] { return Ptr[T]{a.addr + uintptr(i)*heldBytes} }

// CString is a string of the program that ends with a zero byte.
type CString uintptr

// Nil tells whether the program has passed a null pointer.
func (s CString) Nil() bool { return s == 0 }

// given returns the string, or an error for a null pointer.
func (s CString) given() (string, error) {
	if s.Nil() {
		return "", fail(ERR_ARG, "the string is a null pointer: pass a string that ends with a zero byte")
	}
	return s.String(), nil
}

// Strings is an array of strings.
type Strings struct{ addr uintptr }

// Nil tells whether the program has passed a null pointer.
func (a Strings) Nil() bool { return a.addr == 0 }

// At reads element i.
func (a Strings) At(i int) CString { return CString(loadWord(a.addr + uintptr(i)*8)) }

// OutString is where the program wants a string.
type OutString struct{ addr uintptr }

// Nil tells whether the program has passed a null pointer.
func (s OutString) Nil() bool { return s.addr == 0 }

// Set writes at most size-1 bytes of v and a zero byte, and returns how many bytes of v
// were written.
func (s OutString) Set(v string, size int) int {
	if size <= 0 {
		return 0
	}
	n := min(len(v), size-1)
	storeString(s.addr, v[:n])
	return n
}

// assign sets a field of an object.
func assign[T any](field *T, v T) { *field = v }

// slots are the arguments of a call: words of 64 bits on the stack of the C program.
type slots uintptr

func (a slots) int(i int) int { return int(a.word(i)) }
