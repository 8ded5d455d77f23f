// Package sys is the one door to the kernel: every system call of the project that
// the Go library does not already wrap is made here. So one folder holds everything
// that depends on Linux and on unsafe pointers into mapped memory.
//
// Errors name the call and its decisive argument and wrap the errno, so
// errors.Is(err, ENOMEM) works and == does not.
package sys
