// Package operator has the predefined operators of reductions (MPI 5.0 section 6.9.2) on
// elements of the machine: numbers, truth values, and pairs of a value and an index. It is
// for the faces of MPI, which give elements their types.
//
// An operator has a name that is the same in all programs (coll/cad.Op.Name), so that any
// rank that progresses the graph of another finds it by Resolve.
//
// Not implemented: numbers of half precision.
package operator
