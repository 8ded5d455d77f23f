// Package datatype describes the layout of a message in memory: MPI 4.1, chapter 5.
//
// A [Type] is a sequence of basic elements with displacements. It is made from other types
// by the constructors of section 5.1 and never changes afterwards. A message is count
// elements of a type; its packed stream is the bytes of those elements, one after the other
// in the order of the type map, without gaps.
//
// # Flat form
//
// [Type.Flat] gives the committed form of a type: a tree whose leaves are runs of bytes,
// and whose inner nodes are loops (one child, a count, a stride) and lists (several
// children, each at a displacement). A vector of 10^9 blocks is one loop. See piece.go for
// the invariant. The flat form is a slice of words without pointers: it can lie in shared
// memory, where peers read it in place.
//
// # Moving bytes
//
// [Type.Times] gives the [Layout] of count elements. [Pack], [Unpack], [Copy] and
// [Segments] work on a layout, an address of displacement zero, and a range of the packed
// stream. Any range will do, so packing can stop and go on anywhere, and two ranks can
// share one copy. To find the start of a range takes O(depth + log blocks) steps. Copy
// moves bytes from layout to layout with no buffer between. None of the four allocates.
//
// Addresses are numbers, because most memory is foreign: it belongs to another rank, or to
// C. Memory of the own Go heap must be kept alive by the caller; memory of a goroutine's
// stack must not be used, because stacks move. Source and destination must not overlap.
//
//	column, _ := datatype.Vector(4096, 1, 4096, datatype.Float64)
//	layout, _ := column.Times(1)
//	n := datatype.Pack(buffer, &layout, address, 0)
//
// # Not implemented
//
// Pack_external (the "external32" representation of section 5.3) and the constructors that
// choose a type by its precision (section 19.1.9) are left to the C interface.
package datatype
