// Package nofile remembers the soft limit on open files this process was
// started with.
//
// The Go library raises RLIMIT_NOFILE to the hard limit as its package syscall
// initialises. It gives the old value back only to programs started through
// os/exec. A process manager that starts programs in another way must do the same.
// Otherwise a program that selects on descriptors, or closes "all of them", meets a
// limit of a million where its user set 1,024.
//
// Packages initialise in the order of their import paths as soon as all they
// import is initialised. A package that imported syscall would come too late,
// so this one imports nothing and borrows the system call by name; a test pins
// the order.
package nofile
