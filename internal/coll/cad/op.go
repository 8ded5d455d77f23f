package cad

// Op is an operator on elements of Size bytes.
type Op struct {
	Size        int
	Commutative bool // for code that builds graphs; a CALC does not look at it

	// Apply sets inout[i] = inout[i] op in[i] for all elements of two slices of the
	// same length.
	Apply func(inout, in []byte)

	// Name says how other ranks find the same operator, for Options.Resolve; 0: they
	// cannot, and only the rank itself executes its CALC nodes.
	Name uint64
}

// Common is the bit of a name that all programs know. Without it only ranks that run
// the same program do.
const Common = 1 << 63
