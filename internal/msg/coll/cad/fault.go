package cad

import (
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

// Fault is what has gone wrong with an operation, in a word that ranks pass on: what, and
// about which ranks of the job.
type Fault uint64

// The kinds of faults. Each names a rank; Mismatch and Length name two.
const (
	Lost     Fault = (iota + 1) << 32 // the rank has gone
	Panic                             // an operator of the rank has panicked
	Length                            // the rank sends more or less than the other receives
	Pairs                             // the ranks have different numbers of messages for one another
	Refused                           // the rank has passed wrong arguments
	Mismatch                          // the two ranks have made different calls
	Revoked                           // the communicator was revoked
)

// Kind is the fault without the ranks.
func (f Fault) Kind() Fault { return f >> 32 << 32 }

// Rank is the rank that the fault is about, Other the second one.
func (f Fault) Rank() int { return int(uint16(f)) }

// Other is described with Rank.
func (f Fault) Other() int { return int(uint16(f >> 16)) }

// Renamed is the fault with other names of its ranks: jobs do not have the same numbers for them.
func (f Fault) Renamed(name func(rank int) int) Fault {
	return f.Kind() | Fault(uint16(name(f.Other())))<<16 | Fault(uint16(name(f.Rank())))
}

// Failure is a fault and what there is to say about it.
type Failure struct {
	Fault
	Detail [2]uint64 // lengths in bytes, numbers, or the calls of the rank and of the other
	Text   string    // what an operator panicked with, or why a call is refused
}

// About returns the failure of a kind about a rank.
func About(kind Fault, rank int) Failure { return Failure{Fault: kind | Fault(rank)} }

// AboutTwo returns the failure of a kind about two ranks.
func AboutTwo(kind Fault, rank, other int, detail ...uint64) Failure {
	f := Failure{Fault: kind | Fault(other)<<16 | Fault(rank)}
	copy(f.Detail[:], detail)
	return f
}

// Panicked returns the failure of a rank whose operator has panicked with v.
func Panicked(v any, rank int) Failure {
	f := About(Panic, rank)
	f.Text = fmt.Sprint(v)
	return f
}

// The four highest bits of a signature say which operation it is. Those of a refused call are all
// set, and its lowest bits are the operation.
const (
	operationAt   = 60
	refusedCall   = uint64(15) << operationAt
	operationBits = 15
)

// Operation returns the operation of a call, of a refused one too.
func Operation(call uint64) uint64 {
	if IsRefused(call) {
		return call & operationBits
	}
	return call >> operationAt
}

// RefusedCall is the signature of a refused call of an operation.
func RefusedCall(operation uint64) uint64 { return refusedCall | operation }

// IsRefused tells whether a signature is that of a refused call.
func IsRefused(call uint64) bool { return call>>operationAt == operationBits }

// Elements are the bits of a signature that say what the call moves, as a datatype.Element.Code.
// They are 0 if that is not known: such a call goes with others that it is equal to otherwise.
const (
	Elements   uint64 = (1<<datatype.CodeBits - 1) << ElementsAt
	ElementsAt        = 28

	sizes uint64 = 1<<ElementsAt - 1 // bits of a signature that say how long the data of each member is
)

// ElementsOf returns what a call moves.
func ElementsOf(call uint64) datatype.Element {
	return datatype.ElementOfCode(call & Elements >> ElementsAt)
}

// Between returns what is wrong if two ranks stand at the same place in calls of these
// signatures: nothing if they go together.
func Between(a int, call uint64, b int, other uint64) Failure {
	switch {
	case call == other || (call^other)&^Elements == 0 && (call&Elements == 0 || other&Elements == 0):
		return Failure{}
	case IsRefused(call):
		return Failure{Fault: Refused | Fault(a), Detail: [2]uint64{call}}
	case IsRefused(other):
		return Failure{Fault: Refused | Fault(b), Detail: [2]uint64{other}}
	}
	return AboutTwo(Mismatch, a, b, call, other)
}

// Cell keeps the first failure of an operation in memory that several ranks share. Any of
// them may note one. The rank whose compare-and-swap finds no fault writes the rest, and
// then told. A reader that comes in between knows the fault, and lets the writer go on until
// told is set. The writer may have died there: then the reader does without the details.
type Cell struct {
	fault  atomic.Uint64
	detail [2]atomic.Uint64
	Told   atomic.Uint32
	text   [TextSize]byte
}

const TextSize = 3*64 - 28 // a cell takes three cache lines

// Note keeps a failure if there is none yet. It returns whether it has.
func (c *Cell) Note(f Failure) bool {
	if f.Fault == 0 || !c.fault.CompareAndSwap(0, uint64(f.Fault)) {
		return false
	}
	for i, d := range f.Detail {
		c.detail[i].Store(d)
	}
	clear(c.text[copy(c.text[:], f.Text):])
	c.Told.Store(1)
	return true
}

// Fault returns the fault, 0 if there is none.
func (c *Cell) Fault() Fault { return Fault(c.fault.Load()) }

// Failure returns the failure. If it is not told by then, the details are missing.
func (c *Cell) Failure() Failure {
	f := Failure{Fault: c.Fault()}
	if f.Fault == 0 {
		return f
	}
	if shm.Retry(func() bool { return c.Told.Load() != 0 }) {
		f.Detail = [2]uint64{c.detail[0].Load(), c.detail[1].Load()}
		f.Text = TextOf(c.text[:])
	}
	return f
}

// Reset forgets the failure. Nobody else uses the cell.
func (c *Cell) Reset() {
	if c.fault.Load() != 0 {
		c.Told.Store(0)
		c.fault.Store(0)
	}
}

// TextOf returns a text that ends at the first zero.
func TextOf(b []byte) string {
	for i := range b {
		if b[i] == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// Reporter turns failures into errors, for one member of a communicator.
type Reporter struct {
	Member   func(rank int) int       // the place of a rank of the job, or -1
	Describe func(call uint64) string // names a call; nil: by its number
}

// Err returns the error for what is wrong with this member's call of the given signature.
func (r Reporter) Err(f Failure, own uint64) error {
	if f.Fault == 0 {
		return nil // and nothing is allocated
	}
	e := &fault.MismatchError{Member: r.Member(f.Rank())}
	switch f.Kind() {
	case Revoked:
		return fault.ErrRevoked
	case Lost:
		return &fault.LostError{Rank: f.Rank()}
	case Panic:
		e := &fault.OperatorError{Rank: f.Rank()}
		if f.Text != "" {
			e.Value = f.Text
		}
		return e
	case Refused:
		e.Refused, e.Detail = true, f.Text
	case Length:
		e.Lengths = &fault.LengthError{Sender: e.Member, Receiver: r.Member(f.Other()),
			Sent: f.Detail[0], Expected: f.Detail[1]}
	case Pairs:
		e.Detail = "one sends more messages to the other than that receives from it"
	default:
		r.explain(e, f, own)
	}
	return e
}

// explain says which calls differ. The member that it names has made another call than
// this one has.
func (r Reporter) explain(e *fault.MismatchError, f Failure, own uint64) {
	if f.Detail == [2]uint64{} {
		e.Detail = "it is not known any more which"
		return
	}
	there, here := f.Detail[0], f.Detail[1]
	types := (there^here)&^Elements == 0
	if there == own || !types && (there^own)&^Elements == 0 { // it may have heard of what it moves: see Guarded
		e.Member, there, here = r.Member(f.Other()), here, there
	}
	switch {
	case there == here:
		e.Detail = r.describe(here) + ", which blocks on one of them only"
		return
	case types:
		e.Types = &fault.ElementError{Sent: ElementsOf(there), Received: ElementsOf(here)}
		e.Detail = fmt.Sprintf("%s, of %v and of %v", r.describe(own&^Elements), e.Types.Received, e.Types.Sent)
		return
	}
	e.Sizes = (there^here)&^(Elements|sizes) == 0
	e.Detail = fmt.Sprintf("here it was %s, there %s", r.describe(own), r.describe(there))
}

func (r Reporter) describe(call uint64) string {
	if r.Describe == nil {
		return fmt.Sprintf("call %#x", call)
	}
	return r.Describe(call)
}
