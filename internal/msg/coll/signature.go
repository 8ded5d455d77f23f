package coll

import (
	"fmt"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// What all members of a call have to agree about, in a word (cad.Graph.Signature):
//
//	kind 4 bits | irregular 1 | root 16 | operator 11 | elements 4 | bytes 28
//
// The length is that of regular calls, and such as do not fit are all the same: then the
// messages differ. Functions of the program are told apart by the size of elements only,
// as one that lies elsewhere may do the same. The elements are a datatype.Element.Code. They are 0
// unless calls are checked, and where a call works at a board.
const (
	callBytes = cad.ElementsAt
	callOp    = 11
	callRoot  = 16

	callOpAt    = callBytes + datatype.CodeBits
	callRootAt  = callOpAt + callOp
	irregularAt = callRootAt + callRoot
	callKindAt  = irregularAt + 1

	commonOp = 1 << (callOp - 1) // the operator is cad.Common, and these bits of its name follow
)

// signature returns the word for a call that was prepared. n is agreed().
func (a *Args) signature(n int) uint64 {
	w := uint64(a.Kind) << callKindAt
	if a.Irregular {
		w |= 1 << irregularAt
	} else {
		w |= min(uint64(n), 1<<callBytes-1)
	}
	if a.Kind.rooted() {
		w |= uint64(a.Root) << callRootAt
	}
	if a.Kind.reduces() {
		w |= opBits(a.Op) << callOpAt
	}
	return w
}

// word returns the signature of a call, with what it moves if calls are checked.
func (t *Team) word(a *Args) uint64 {
	if !t.Check {
		return a.signature(a.agreed())
	}
	return a.signature(a.agreed()) | a.elements()<<cad.ElementsAt
}

// elements returns the code of what a call moves, 0 if that is not known.
func (a *Args) elements() uint64 {
	if code := a.Send.elements().Code(); code != 0 {
		return code
	}
	return a.Recv.elements().Code()
}

func opBits(op *Op) uint64 {
	if op.Name&cad.Common != 0 {
		return commonOp | op.Name&(commonOp-1)
	}
	bits := min(uint64(op.Size), commonOp/2-1)
	if op.Commutative {
		bits |= commonOp / 2
	}
	return bits
}

// DescribeCall says in words what a call is; operator names one that is cad.Common by the
// low bits of its name.
func DescribeCall(call uint64, operator func(name uint64) string) string {
	kind := Kind(call >> callKindAt)
	switch {
	case cad.IsRefused(call):
		return "a call with wrong arguments"
	case kind == None:
		return "a graph of the program"
	case kind == neighbors:
		return "an exchange among neighbors"
	}
	s := kind.String()
	switch bytes := call & (1<<callBytes - 1); {
	case call>>irregularAt&1 != 0:
		s += " of any lengths"
	case bytes == 1<<callBytes-1:
		s += " of 256 MiB or more"
	case kind != Barrier:
		s += fmt.Sprintf(" of %d bytes", bytes)
	}
	if kind.reduces() {
		s += describeOp(call>>callOpAt&(1<<callOp-1), operator)
	}
	if kind.rooted() {
		s += fmt.Sprintf(", root %d", call>>callRootAt&(1<<callRoot-1))
	}
	// A barrier has no elements: the bits are those of another call that it has met.
	if e := cad.ElementsOf(call); e.Numbers() != 0 && kind != Barrier {
		s += fmt.Sprintf(" (%v)", e)
	}
	return s
}

// CallAs has errors name the calls of a team by other words than their kinds: those of what they are steps of.
func CallAs(t *Team, names map[Kind]string) {
	describe := t.Describe
	t.Describe = func(call uint64) string {
		name := names[Kind(call>>callKindAt)]
		switch {
		case name != "" && !cad.IsRefused(call):
			return name
		case describe != nil:
			return describe(call)
		}
		return DescribeCall(call, nil)
	}
}

func describeOp(op uint64, operator func(name uint64) string) string {
	switch {
	case op&commonOp != 0 && operator != nil:
		return " with " + operator(op&^commonOp)
	case op&commonOp != 0:
		return fmt.Sprintf(" with operator %d", op&^commonOp)
	case op&(commonOp/2) != 0:
		return fmt.Sprintf(" with an operator of the program on %d bytes", op&^(commonOp/2))
	}
	return fmt.Sprintf(" with an operator of the program on %d bytes that does not commute", op)
}
