package operator

const hasExtended = true

// addExtended adds n numbers.
//
//go:noescape
func addExtended(inout, in *byte, n int)

// multiplyExtended multiplies n numbers.
//
//go:noescape
func multiplyExtended(inout, in *byte, n int)
