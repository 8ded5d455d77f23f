package programs

import "testing"

func TestSemantics(t *testing.T) {
	program := build(t, "semantics.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, n := range sizes {
			w.ends(t, n, program)
		}
	})
}
