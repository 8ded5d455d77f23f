// Package exit takes a rank out of the address space that it shares before its process ends.
//
// At the end of a process the kernel adds up the sizes of all memory areas of its address space (acct_collect). In one
// address space these are the areas of all ranks. So their ends take CPU time quadratic in their number, 37 s for 4,096
// ranks in C. A process that executes another program first has an address space of its own. So a rank whose program
// is about to end executes one of four instructions (Image), which ends with the same code. The process stays the same:
// its pid, parent, children, process group and resources.
//
// All signals are blocked from then on. One that the rank has handled would end it now, as its handlers are gone.
//
// It covers in Go the return of main and os.Exit(0), where the runtime calls the hooks of its package exithook. In C,
// C++ and Fortran it covers exit and the return of main (cmd/libmpi/leave.c). It leaves out other codes of os.Exit,
// _exit and deaths by signals. Go programs without a table of symbols (-ldflags=-s) end where they are, and so do
// programs that have opened libmpi by dlopen.
package exit
