// Package linkage says which MPI library a program would load, and what makes that ours.
//
// A program asks for its MPI library by a name, its soname. Ours has the name of the standard ABI, and that of Open MPI
// 4 and 5 (libmpi.so.40), so programs that a distribution has built for Open MPI run as ranks unchanged. The dynamic
// linker must find ours first: by LD_LIBRARY_PATH, or by LD_PRELOAD where the program itself names a folder (DT_RPATH).
//
// Which files a program would load its dynamic linker is asked, which runs no code of the program. What interpreters
// load later, such as the modules of Python, is not seen: so their ranks get the folder in any case.
package linkage
