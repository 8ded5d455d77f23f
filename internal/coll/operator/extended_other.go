//go:build !amd64

package operator

const hasExtended = false

func addExtended(inout, in *byte, n int)      {}
func multiplyExtended(inout, in *byte, n int) {}
