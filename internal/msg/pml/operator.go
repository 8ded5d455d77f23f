package pml

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/recorder"
)

// Operators of the program run in the midst of calls: under the lock of the engine, in a task, or while their goroutine
// is the owner of progress. Nobody would end a wait of theirs there, and MPI forbids operators to communicate. A call
// that would wait, or that finds the lock taken, asks whether an operator makes it, and is refused then: MayWait.
//
// The stack of the goroutine tells: Operate is on it. Also a C program's stack has it, because a thread that calls
// back from C goes on with the goroutine that has called C. To look takes microseconds, so it is done only while
// operators run. Other goroutines of the rank may call meanwhile as they like.

// ErrOperator means that an operator has called what communicates.
var ErrOperator = errors.New("an operator must not communicate: do so before or after the reduction")

var (
	operating   atomic.Int32          // operators that run
	lastRefusal atomic.Pointer[error] // what a call of an operator was refused with
)

// Operate calls an operator of the program. It returns the error that a call of it was refused with, or one of another
// operator that ran meanwhile.
//
//go:noinline
func Operate(apply func()) error {
	before := lastRefusal.Load()
	operating.Add(1)
	defer operating.Add(-1)
	apply()
	if last := lastRefusal.Load(); last != before {
		return *last
	}
	return nil
}

// Operating tells whether an operator runs.
func Operating() bool { return operating.Load() != 0 }

const operate = "github.com/gopvas/gopvas/internal/msg/pml.Operate"

// MayWait returns an error, which is ErrOperator, if an operator of the program makes the call.
func MayWait() error {
	if !Operating() {
		return nil
	}
	return refuse()
}

// refuse is MayWait while operators run.
func refuse() error {
	if !onStack(operate) {
		return nil
	}
	err := ErrOperator
	if place := recorder.Caller(); place != "" {
		err = fmt.Errorf("%w, not at %s", ErrOperator, place)
	}
	lastRefusal.Store(&err)
	return err
}

// onStack tells whether a function has called this one.
func onStack(function string) bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var frame runtime.Frame
			if frame, more = frames.Next(); frame.Function == function {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
