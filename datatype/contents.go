package datatype

import (
	"fmt"
	"slices"
	"strings"
)

// Combiner is the constructor a type was made by.
type Combiner int

const (
	CombinerNamed Combiner = iota
	CombinerDup
	CombinerContiguous
	CombinerVector
	CombinerHvector
	CombinerIndexed
	CombinerHindexed
	CombinerIndexedBlock
	CombinerHindexedBlock
	CombinerStruct
	CombinerSubarray
	CombinerDarray
	CombinerResized
)

var combinerNames = [...]string{"named", "dup", "contiguous", "vector", "hvector", "indexed", "hindexed",
	"indexed_block", "hindexed_block", "struct", "subarray", "darray", "resized"}

func (c Combiner) String() string {
	if c < 0 || int(c) >= len(combinerNames) {
		return fmt.Sprintf("Combiner(%d)", int(c))
	}
	return combinerNames[c]
}

// Contents are the arguments of the constructor of a type, in the order of section 5.1.13.
// Integers are those that count something or are in extents of the old type; Displacements
// are in bytes.
type Contents struct {
	Combiner      Combiner
	Name          string // of a named type
	Integers      []int64
	Displacements []int64
	Types         []*Type
}

// arguments are those of a constructor. They stay the caller's, most on its stack: a type keeps copies.
type arguments struct {
	combiner      Combiner
	integers      [5][]int64 // one list behind the other
	displacements []int64
	types         []*Type // of a named type, which has no contents, the two elements of a pair
}

// keep notes what the type was made from.
func (t *Type) keep(a *arguments) {
	n := 0
	for _, list := range a.integers {
		n += len(list)
	}
	all := t.numbers[:0]
	if n+len(a.displacements) > len(t.numbers) {
		all = make([]int64, 0, n+len(a.displacements))
	}
	for _, list := range a.integers {
		all = append(all, list...)
	}
	all = append(all, a.displacements...)
	types := t.old[:0]
	if len(a.types) > len(t.old) {
		types = make([]*Type, 0, len(a.types))
	}
	t.contents = Contents{a.combiner, "", all[:n:n], all[n:], append(types, a.types...)}
}

// Contents returns what the type was made from. The lists are those of the type: they must not be changed.
func (t *Type) Contents() Contents {
	if t.contents.Combiner == CombinerNamed {
		return Contents{Name: t.contents.Name}
	}
	return t.contents
}

// missing tells whether a type is nil, or zero: then no constructor has made it, and it has
// no alignment.
func missing(t *Type) bool { return t == nil || t.body.align == 0 }

// check checks the arguments that all constructors have.
func (a *arguments) check(counts ...int64) error {
	for _, n := range counts {
		if n < 0 {
			return failed(a.combiner, fmt.Errorf("%w: %d", ErrCount, n))
		}
	}
	if slices.ContainsFunc(a.types, missing) {
		return failed(a.combiner, ErrType)
	}
	return nil
}

// String names the type by its constructors, as in "vector(3, 1, 4, float64)".
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b, 0)
	return b.String()
}

const (
	maxWritten = 8 // arguments of a kind
	maxNested  = 4
)

func (t *Type) write(b *strings.Builder, depth int) {
	c := &t.contents
	if c.Combiner == CombinerNamed {
		b.WriteString(c.Name)
		return
	}
	fmt.Fprintf(b, "%s(", c.Combiner)
	if depth == maxNested {
		b.WriteString("...)")
		return
	}
	separator := ""
	write := func(n int, one func(i int)) {
		for i := range n {
			b.WriteString(separator)
			separator = ", "
			if i == maxWritten {
				b.WriteString("...")
				return
			}
			one(i)
		}
	}
	write(len(c.Integers), func(i int) { fmt.Fprint(b, c.Integers[i]) })
	write(len(c.Displacements), func(i int) { fmt.Fprintf(b, "%dB", c.Displacements[i]) })
	write(len(c.Types), func(i int) { c.Types[i].write(b, depth+1) })
	b.WriteString(")")
}
