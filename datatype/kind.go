package datatype

// Kind tells basic elements of one size apart. Two basic elements are the same for a
// [Signature] if kind and size are equal.
type Kind uint16

// Kinds of the predefined types. A face may use others from KindFree on.
const (
	KindByte Kind = iota
	KindPacked
	KindCharacter
	KindLogical
	KindInteger
	KindUnsigned
	KindFloat
	KindComplex
	KindFree Kind = 64
)

// The predefined types.
var (
	Byte   = predefined("byte", KindByte, 1, 1)
	Packed = predefined("packed", KindPacked, 1, 1)
	Char   = predefined("char", KindCharacter, 1, 1)
	Bool   = predefined("bool", KindLogical, 1, 1)

	Int8  = predefined("int8", KindInteger, 1, 1)
	Int16 = predefined("int16", KindInteger, 2, 2)
	Int32 = predefined("int32", KindInteger, 4, 4)
	Int64 = predefined("int64", KindInteger, 8, 8)

	Uint8  = predefined("uint8", KindUnsigned, 1, 1)
	Uint16 = predefined("uint16", KindUnsigned, 2, 2)
	Uint32 = predefined("uint32", KindUnsigned, 4, 4)
	Uint64 = predefined("uint64", KindUnsigned, 8, 8)

	Float32    = predefined("float32", KindFloat, 4, 4)
	Float64    = predefined("float64", KindFloat, 8, 8)
	Float128   = predefined("float128", KindFloat, 16, 16) // C's long double
	Complex64  = predefined("complex64", KindComplex, 8, 4)
	Complex128 = predefined("complex128", KindComplex, 16, 8)
	Complex256 = predefined("complex256", KindComplex, 32, 16)
)

// The pairs of a value and an index, of MINLOC and MAXLOC (section 6.9.4).
var (
	Float32Int32  = predefinedPair("float32_int32", Float32, Int32)
	Float64Int32  = predefinedPair("float64_int32", Float64, Int32)
	Float128Int32 = predefinedPair("float128_int32", Float128, Int32)
	Int16Int32    = predefinedPair("int16_int32", Int16, Int32)
	Int32Int32    = predefinedPair("int32_int32", Int32, Int32)
	Int64Int32    = predefinedPair("int64_int32", Int64, Int32)
)

// Basic makes a type of one basic element, aligned to a power of two.
func Basic(name string, kind Kind, size, align int64) (*Type, error) {
	if size <= 0 || align <= 0 || align&(align-1) != 0 {
		return nil, failed(CombinerNamed, wrong("%s has size %d and alignment %d", name, size, align))
	}
	b := body{data: run(0, size), end: size, align: align, signature: oneElement(kind, size)}
	return named(name, b)
}

// Pair makes a predefined type of two basic elements, as a C compiler lays out their
// structure. In contrast to what Struct makes it is a named type.
func Pair(name string, first, second *Type) (*Type, error) {
	if missing(first) || missing(second) {
		return nil, failed(CombinerNamed, ErrType)
	}
	at := (first.Size() + second.body.align - 1) &^ (second.body.align - 1)
	t, err := Struct([]int64{1, 1}, []int64{0, at}, []*Type{first, second})
	if err != nil {
		return nil, err
	}
	return named(name, t.body, first, second)
}

// named makes a named type of its parts, or a basic one.
func named(name string, b body, parts ...*Type) (*Type, error) {
	t, err := finish(new(exact), b, &arguments{types: parts})
	if err == nil {
		t.contents.Name = name
	}
	return t, err
}

func predefined(name string, kind Kind, size, align int64) *Type {
	t, err := Basic(name, kind, size, align)
	if err != nil {
		panic(err) // the table above is wrong
	}
	return t
}

func predefinedPair(name string, first, second *Type) *Type {
	t, err := Pair(name, first, second)
	if err != nil {
		panic(err) // the table above is wrong
	}
	return t
}
