// Package symbol says where in a C, C++ or Fortran program calls and faults stand: the function, and the line of the
// source if the program has debugging information.
//
// ELF symbols say which function is there. DWARF says the line, the functions that the compiler has put into that one
// (DWARF 5, section 3.3.8), and the names that Fortran procedures have in the source. Names of C++ and of procedures in
// Fortran modules are those of the source, without parameters. Debugging information in files apart is not read.
//
// Nothing is known of a file that is gone or is no regular file. A trace (trace.Code) has the build id of the
// file that ran, and another one is not asked: its places stay the name of the file and the offset.
package symbol
