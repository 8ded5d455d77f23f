package capi

import "sync/atomic"

// inside knows which function the program is in, for the hang report: from Go a blocked
// MPI_Waitall looks like any wait.
//
// Below MPI_THREAD_MULTIPLE one thread at a time is in MPI, and call is its function. A
// function that calls back into the program may find other calls inside; each puts back what
// it has found. With MPI_THREAD_MULTIPLE, word has the number of calls in its upper half and the sum of
// their functions in the lower one. So it tells the function if there is one call only.
type inside struct {
	many bool // threads may call at the same time; set before there is a second one
	call int  // its number plus one, 0: none
	word atomic.Uint64
}

const oneCall = 1 << 32

// enter notes a call, and returns the one that it is within.
func (i *inside) enter(op int) (outer int) {
	if i.many {
		i.word.Add(oneCall + uint64(op))
		return manyCalls
	}
	return i.enterAlone(op)
}

// enterAlone is enter where one thread at a time calls.
func (i *inside) enterAlone(op int) (outer int) {
	outer, i.call = i.call, op+1
	return outer
}

// leaveAlone is leave after enterAlone.
func (i *inside) leaveAlone(outer int) { i.call = outer }

// manyCalls is returned by enter where leave has to take the call off the word.
const manyCalls = -1

// leave notes the end of a call.
func (i *inside) leave(op, outer int) {
	if outer == manyCalls {
		i.word.Add(-(oneCall + uint64(op)))
	} else {
		i.leaveAlone(outer)
	}
}

// name is the function that the program is in, "" if it is in several.
func (i *inside) name() string {
	if !i.many && i.call > 0 {
		return calls[i.call-1].name
	}
	if w := i.word.Load(); w/oneCall == 1 {
		return calls[w%oneCall].name
	}
	return ""
}
