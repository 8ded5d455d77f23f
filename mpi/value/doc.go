// Package value moves Go values of any type between ranks: strings, maps, slices of structs, pointers, interfaces. It
// encodes them as CBOR (RFC 8949), which takes a microsecond or more and allocates. Numbers, booleans, and arrays and
// structs of them need none of it: package mpi moves them as they are.
//
//	results, err := value.Gather(world, map[string]int{"words": n}, 0)
//
// # What arrives
//
// A copy: sender and receiver share nothing, also in one address space, since each rank has a garbage collector of its
// own. Exported fields travel; unexported fields do not, nor do those with a tag `cbor:"-"`, or `json:"-"` if there is
// no tag for cbor. A nil pointer, map or slice arrives as nil, and pointers to one variable as pointers to two. Types
// with MarshalBinary and UnmarshalBinary, or MarshalCBOR and UnmarshalCBOR, travel as these say. Times keep their
// nanoseconds and their offset.
//
// What would not arrive is refused, with an error that names the type or the field. Channels, functions, complex
// numbers and structs without exported fields do not travel. Nor do two fields of one name (of embedded structs), or
// keys of a map that arrive as one. A value that contains itself is refused, as is one that has more than 65,535 levels
// of arrays, maps and structs; a registered type in an interface counts twice.
//
// The receiver's type may differ, if all that was sent arrives: any integer type that holds the number, a slice for an
// array, a struct with the same names. An any receives a type that Register was told of, or:
//   - a bool, a float64, a string, a []byte, a time.Time;
//   - an int64, or of larger numbers a big.Int;
//   - a []any, a map[any]any.
//
// Send refuses an any that holds another type with a name. An interface with methods receives a pointer to a type that
// Register was told of, also if the sender had no pointer.
package value
