package corotest

// Entry returns the address of the program, for Context.Back.
func Entry() uintptr
