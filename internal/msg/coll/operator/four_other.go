//go:build !amd64

package operator

// There are no vectors.
const addFour32, addFour64, multiplyFour32, multiplyFour64 = 0, 0, 0, 0

func fourBy(_ int, loop four) four { return loop }
