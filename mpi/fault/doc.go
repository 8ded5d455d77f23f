// Package fault has the types of the errors that calls of package mpi return, wrapped: find them
// with errors.As. Package mpi has them under the same names, with the errors that need no type.
//
// A fault is found where it happens, by the layer that sees it, and is handed up unchanged. What a
// program does about it is its own matter. After a LostError or a MismatchError the buffers of the
// call may have been written to in part.
package fault
