// Package symbol says where in a C, C++ or Fortran program the calls of a recorded job stand: the
// function, and the line of the source if the program has debugging information.
//
// A trace has the path, the build id and the offset of each place (trace.Code). The files are looked
// at when the trace is read. One that is gone, is no regular file, or has another build id than the file
// that ran, is not asked: its places stay the name of the file and the offset.
package symbol
