package cad

import (
	"fmt"

	"github.com/gopvas/gopvas/job"
)

// fault is what has gone wrong, in a word that ranks pass on: what, and about which
// ranks of the job.
type fault uint64

const (
	faultLost    fault = (iota + 1) << 32 // the rank has gone
	faultOp                               // an operator of the rank has panicked
	faultSize                             // lengths of a SEND and its RECV differ; the rank is the sender
	faultPairs                            // numbers of SEND and RECV nodes of two ranks differ
	faultRefused                          // the rank has passed wrong arguments
	faultCall                             // the graphs of the rank and of another stand for different calls
)

func (f fault) kind() fault { return f >> 32 << 32 }
func (f fault) rank() int   { return int(uint16(f)) }
func (f fault) other() int  { return int(uint16(f >> 16)) }

// failure is a fault and what there is to say about it: the two lengths, numbers, or calls
// (of the rank, and of the other), or what an operator panicked with.
type failure struct {
	fault
	detail [2]uint64
	text   string
}

// refusedCall is what refused graphs stand for.
const refusedCall = ^uint64(0)

// between returns what is wrong if graphs of two ranks with the same number stand for
// these calls; none if it is the same.
func between(a int, call uint64, b int, other uint64) failure {
	switch {
	case call == other:
		return failure{}
	case call == refusedCall:
		return failure{fault: faultRefused | fault(a)}
	case other == refusedCall:
		return failure{fault: faultRefused | fault(b)}
	}
	return failure{fault: faultCall | fault(b)<<16 | fault(a), detail: [2]uint64{call, other}}
}

// note keeps the first failure of a graph.
func (g *graph) note(f failure) {
	if f.fault == 0 || !g.fault.CompareAndSwap(0, uint64(f.fault)) {
		return
	}
	for i, d := range f.detail {
		g.detail[i].Store(d)
	}
	clear(g.text[copy(g.text[:], f.text):])
	g.told.Store(1)
}

// failure returns what has gone wrong with a graph, as much of it as is written by now.
func (g *graph) failure() failure {
	f := failure{fault: fault(g.fault.Load())}
	if f.fault != 0 && g.told.Load() != 0 {
		f.detail, f.text = [2]uint64{g.detail[0].Load(), g.detail[1].Load()}, g.panicked()
	}
	return f
}

// pass tells a graph what has gone wrong with another that it gets data from.
func (g *graph) pass(from *graph) {
	if from.fault.Load() != 0 {
		g.note(from.failure())
	}
}

// passRefusal is pass, if it is why what the two graphs have does not fit.
func (g *graph) passRefusal(from *graph) {
	if fault(from.fault.Load()).kind() == faultRefused {
		g.pass(from)
	}
}

// ruin ends all graphs on a channel, now and later, because of what is wrong with those of
// a number. It returns false if the channel has been ended before.
func (rec *record) ruin(f failure, number uint32) bool {
	if f.fault == 0 || !rec.broken.CompareAndSwap(0, uint64(f.fault)) {
		return false
	}
	for i, d := range f.detail {
		rec.detail[i].Store(d)
	}
	rec.number.Store(number)
	rec.told.Store(1)
	return true
}

// failure returns why no graph on the channel will be complete.
func (rec *record) failure() failure {
	return failure{fault: fault(rec.broken.Load()), detail: [2]uint64{rec.detail[0].Load(), rec.detail[1].Load()}}
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

// err turns what is wrong with the graphs of a number into an error. It is called when
// nobody writes to the graph.
func (r *run) err(f failure, number uint32) error {
	switch f.kind() {
	case 0:
		return nil
	case faultLost:
		return &LostError{Rank: f.rank()}
	case faultOp:
		e := &OpError{Rank: f.rank()}
		if f.text != "" {
			e.Value = f.text
		}
		return e
	}
	e := &MismatchError{Member: r.channel.member(f.rank())}
	switch {
	case f.kind() == faultRefused:
		e.Refused = true
	case f.kind() == faultCall:
		r.explain(e, f, number)
	case f.kind() == faultSize:
		e.Detail = fmt.Sprintf("a message of %d bytes meets a receive of %d bytes", f.detail[0], f.detail[1])
	case f.detail == [2]uint64{}:
		e.Detail = "the numbers of messages and receives differ"
	default:
		e.Detail = fmt.Sprintf("%d messages meet %d receives", f.detail[0], f.detail[1])
	}
	return e
}

// explain says which calls differ. The member that is named is one that differs from this
// one.
func (r *run) explain(e *MismatchError, f failure, number uint32) {
	if f.detail == [2]uint64{} && r.e.direct { // it was passed on before it was told
		f = r.e.difference(r.channel.Context, number, uint32(f.rank()), uint32(f.other()))
	}
	own, known := r.record.call(number)
	there, name := f.detail[0], r.e.options.describe
	switch {
	case f.detail == [2]uint64{}:
		e.Detail = "which ones is not known any more"
		return
	case !known:
		e.Detail = "there it was " + name(there)
		return
	case there == own:
		e.Member, there = r.channel.member(f.other()), f.detail[1]
	}
	e.Detail = fmt.Sprintf("here it was %s, there %s", name(own), name(there))
}

// describe names a call for people.
func (o *Options) describe(call uint64) string {
	if call == refusedCall {
		return "another"
	}
	if o.Describe == nil {
		return fmt.Sprintf("call %#x", call)
	}
	return o.Describe(call)
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
