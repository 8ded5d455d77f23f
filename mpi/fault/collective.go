package fault

import "fmt"

// MismatchError means that the ranks of a communicator did not call the same collective
// operation, or with arguments that do not fit. All buffers that were to be received into may
// have been written to in part.
type MismatchError struct {
	Member  int           // a rank of the communicator that differs from others; -1: not known
	Refused bool          // it has got an error about its own arguments
	Detail  string        // what it called, and this rank called; if it was refused, why
	Types   *ElementError // the calls are the same but for the types of the data; else nil
	Lengths *LengthError  // the calls are the same but for these lengths; else nil
	Sizes   bool          // the calls are the same but for lengths, which Detail has
}

// LengthsOnly tells whether the calls are the same but for the lengths of the data: what a rank
// sends is not as long as what another one expects.
func (e *MismatchError) LengthsOnly() bool { return e.Lengths != nil || e.Sizes }

// Unwrap returns Types or Lengths, if they are all that differs.
func (e *MismatchError) Unwrap() error {
	switch {
	case e.Types != nil:
		return e.Types
	case e.Lengths != nil:
		return e.Lengths
	}
	return nil
}

// Error names the rank and both calls.
func (e *MismatchError) Error() string {
	switch {
	case e.Refused && e.Detail == "":
		return fmt.Sprintf("rank %d has passed wrong arguments: the error that it has got says which", e.Member)
	case e.Refused:
		return fmt.Sprintf("rank %d has passed wrong arguments, and was told: %s", e.Member, e.Detail)
	case e.Lengths != nil:
		return e.Lengths.Error()
	}
	ranks := "members"
	if e.Member >= 0 {
		ranks = fmt.Sprintf("rank %d and others", e.Member)
	}
	if e.Types != nil {
		return fmt.Sprintf("%s called the same operation with different types: %s; give all ranks the same type",
			ranks, e.Detail)
	}
	return fmt.Sprintf("%s called different operations, or with different roots or lengths: %s; "+
		"all ranks of a communicator call the same collectives in the same order", ranks, e.Detail)
}

// LengthError means that a rank sends more or less to another than that one expects.
type LengthError struct {
	Sender, Receiver int
	Sent, Expected   uint64 // bytes
}

// Error names both ranks.
func (e *LengthError) Error() string {
	return fmt.Sprintf("rank %d sends %d bytes to rank %d, which expects %d bytes: give both the same length",
		e.Sender, e.Sent, e.Receiver, e.Expected)
}

// OperatorError means that an operator of a reduction has panicked, or communicated. The result is lost on all
// ranks that got this error.
type OperatorError struct {
	Rank  int // whose operation it was, as a rank of the job
	Value any // what it panicked with, on other ranks as text
}

// Error names the rank.
func (e *OperatorError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("the operator has failed on rank %d", e.Rank)
	}
	return fmt.Sprintf("the operator has failed on rank %d: %v", e.Rank, e.Value)
}

// BufferError means that a buffer has not the length that the call needs. The call is
// refused: this rank has not made it. If calls are checked the others get a *MismatchError that
// names it.
type BufferError struct {
	What  string
	Have  int
	Need  int    // -1: a block lies outside of the buffer
	Unit  string // of both; empty: bytes
	Exact bool   // neither more nor less

	Element int // bytes of an element of the buffer, for the text; 0: not known
}

// Error names both lengths.
func (e *BufferError) Error() string {
	have := e.length(e.Have)
	switch {
	case e.Need < 0:
		return fmt.Sprintf("a count or displacement of the %s points outside of its %s", e.What, have)
	case e.Exact:
		return fmt.Sprintf("%s: has %s, %s are needed", e.What, have, e.length(e.Need))
	case e.Have > e.Need:
		return fmt.Sprintf("%s: %s are too many, %s are needed", e.What, have, e.length(e.Need))
	}
	return fmt.Sprintf("%s: %s are too few, %s are needed", e.What, have, e.length(e.Need))
}

// length is a length in its unit; of bytes in elements, with the bytes in brackets.
func (e *BufferError) length(n int) string {
	switch {
	case e.Unit != "":
		return fmt.Sprintf("%d %s", n, e.Unit)
	case e.Element > 1 && n%e.Element == 0:
		return fmt.Sprintf("%d elements (%d bytes)", n/e.Element, n)
	}
	return fmt.Sprintf("%d bytes", n)
}

// GraphError says what is wrong with a graph: a cycle, a node that cannot be reached, a
// rank that there is not, lengths that differ.
type GraphError struct {
	Node int // where, -1 if it is no single node
	What string
}

// Error names the node.
func (e *GraphError) Error() string {
	if e.Node < 0 {
		return "graph: " + e.What
	}
	return fmt.Sprintf("graph: node %d: %s", e.Node, e.What)
}
