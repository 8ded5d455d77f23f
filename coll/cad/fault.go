package cad

import (
	"fmt"

	"github.com/gopvas/gopvas/job"
)

// fault is what has gone wrong, in a word that ranks pass on: what, and about which
// rank of the job. What it says more about is in the detail: for a mismatch the two
// lengths.
type fault uint64

const (
	faultLost    fault = (iota + 1) << 32 // the rank has gone
	faultOp                               // an operator of the rank has panicked
	faultSize                             // lengths of a SEND and its RECV differ; the rank is the sender
	faultPairs                            // numbers of SEND and RECV nodes of two ranks differ
	faultRefused                          // the rank has passed wrong arguments
)

func (f fault) kind() fault { return f >> 32 << 32 }
func (f fault) rank() int   { return int(uint32(f)) }

// note keeps the first fault of a graph. text is what an operator panicked with.
func (g *graph) note(f fault, detail uint64, text string) {
	if f == 0 || !g.fault.CompareAndSwap(0, uint64(f)) {
		return
	}
	g.detail.Store(detail)
	clear(g.text[copy(g.text[:], text):])
	g.told.Store(1)
}

// pass tells a graph what has gone wrong with another that it gets data from: as much
// of it as is written by now.
func (g *graph) pass(from *graph) {
	f := fault(from.fault.Load())
	switch {
	case f == 0:
	case from.told.Load() == 0:
		g.note(f, 0, "")
	default:
		g.note(f, from.detail.Load(), from.panicked())
	}
}

// passRefusal is pass, if it is why what the two graphs have does not fit.
func (g *graph) passRefusal(from *graph) {
	if fault(from.fault.Load()).kind() == faultRefused {
		g.pass(from)
	}
}

// panicked returns the text of a panic.
func (g *graph) panicked() string {
	for i, b := range g.text {
		if b == 0 {
			return string(g.text[:i])
		}
	}
	return string(g.text[:])
}

// err turns a fault into an error. It is called when nobody writes to the graph.
func (f fault) err(detail uint64, text string) error {
	switch f.kind() {
	case 0:
		return nil
	case faultLost:
		return &LostError{Rank: f.rank()}
	case faultOp:
		e := &OpError{Rank: f.rank()}
		if text != "" {
			e.Value = text
		}
		return e
	case faultRefused:
		return &MismatchError{Member: f.rank(), Refused: true}
	case faultSize:
		return &MismatchError{Member: f.rank(),
			Detail: fmt.Sprintf("a message of %d bytes meets a receive of %d bytes", high(detail), low(detail))}
	}
	if detail == 0 {
		return &MismatchError{Member: f.rank(), Detail: "the numbers of messages and receives differ"}
	}
	return &MismatchError{Member: f.rank(),
		Detail: fmt.Sprintf("%d messages meet %d receives", high(detail), low(detail))}
}

// LostError means that an operation could not be completed because a rank of the
// job, named in it, has gone.
type LostError = job.LostError

// MismatchError means that the members did not call the same operation, or with
// arguments that do not fit. All buffers that were to be received into may have been
// written to in part.
type MismatchError struct {
	Member  int    // one that differs from others; -1: not known
	Refused bool   // it has got an error about its own arguments
	Detail  string // what it called, and this member called
}

// Error names the member and both calls.
func (e *MismatchError) Error() string {
	if e.Refused {
		return fmt.Sprintf("rank %d has passed wrong arguments: the error that it has got says which", e.Member)
	}
	who := "members"
	if e.Member >= 0 {
		who = fmt.Sprintf("rank %d and others", e.Member)
	}
	return fmt.Sprintf("%s called different operations, or with different roots or lengths: %s; "+
		"all ranks of a communicator call the same collectives in the same order", who, e.Detail)
}

// OpError means that an operator has panicked. The result is lost on all members
// that got this error.
type OpError struct {
	Rank  int // whose operation it was, as a rank of the job
	Value any // what it panicked with; nil if that is not known here
}

// Error names the rank.
func (e *OpError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("operator panicked on rank %d", e.Rank)
	}
	return fmt.Sprintf("operator panicked on rank %d: %v", e.Rank, e.Value)
}
