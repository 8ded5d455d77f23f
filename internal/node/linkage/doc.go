// Package linkage says which MPI library a program would load, and what makes that ours.
//
// A program asks for its MPI library by a name, the soname of the library. Ours has three: that of the standard ABI,
// that of Open MPI 4 and 5 (libmpi.so.40), and that of MPICH and its kin (libmpi.so.12, libmpich.so.12). So programs
// that a distribution has built for these run as ranks unchanged. The dynamic linker must find ours first. The finder
// sees to that (cmd/libmpi/finder): a small library that LD_AUDIT names, of which the dynamic linker asks the place of
// each library. Programs that can have no other MPI than ours do without.
//
// The dynamic linker says which files it would load. To ask it runs no code of the program. What programs load later,
// such as the modules of Python, and what scripts start, it cannot say: those have the finder, too.
//
// Build is the mark of the executable of this process.
package linkage
