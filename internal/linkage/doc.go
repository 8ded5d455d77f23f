// Package linkage says which MPI library a program would load, and what makes that ours.
//
// A program asks for its MPI library by a name, the soname of the library. Ours has two: that of the standard ABI, and
// that of Open MPI 4 and 5 (libmpi.so.40). So programs that a distribution has built for Open MPI run as ranks
// unchanged. The dynamic linker must find ours first: by LD_LIBRARY_PATH, or by LD_PRELOAD where the program itself
// names a folder (DT_RPATH).
//
// The dynamic linker says which files it would load. To ask it runs no code of the program. What interpreters load
// later, such as the modules of Python, it cannot say: so their ranks get the folder in any case.
//
// Build is the mark of the executable of this process.
package linkage
