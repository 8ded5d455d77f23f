//go:build amd64 || arm64

package corotest

// Entry returns the address of the program, for Context.Back.
func Entry() uintptr

// Marking tells whether a collection of garbage is underway: the write barrier is on.
func Marking() bool
