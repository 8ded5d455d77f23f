package cad

// Op is an operator on elements of Size bytes.
type Op struct {
	Size        int
	Commutative bool // for code that builds graphs; a CALC does not look at it

	// Apply sets inout[i] = inout[i] op in[i] for all elements of two slices of the
	// same length.
	Apply func(inout, in []byte)

	// Four, if it is not nil, sets out[i] = (a[i] op b[i]) op (c[i] op d[i]) for all elements of out, with the bits of
	// Apply.
	Four func(out, a, b, c, d []byte)

	// Exact says that results have the same bits in any order of operands; Symmetric that those of two operands have
	// them in either order.
	Exact, Symmetric bool

	// Name says how other ranks find the same operator, for Options.Resolve; 0: they
	// cannot, and only the rank itself executes its CALC nodes.
	Name uint64
}

// Common is the bit of a name that all programs know. Without it only ranks that run
// the same program do.
const Common = 1 << 63
