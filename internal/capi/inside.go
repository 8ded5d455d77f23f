package capi

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/processes"
)

// inside knows which function the program is in, and where it has called it, for the hang report: from Go a blocked
// MPI_Waitall looks like any wait.
//
// Below MPI_THREAD_MULTIPLE one thread at a time is in MPI, and last is its call. A
// function that calls back into the program may find other calls inside; each puts back what
// it has found. With MPI_THREAD_MULTIPLE, word has the number of calls in its upper half and the sum of
// their functions in the lower one. So it tells the function if there is one call only.
type inside struct {
	many atomic.Bool // threads may call at the same time, or call without a right to
	last made
	word atomic.Uint64
}

const oneCall = 1 << 32

// made is a call that the program has made.
type made struct {
	call int   // the number of the function plus one, 0: none
	args slots // 0: it has none
}

// enter notes a call, and returns the one that it is within.
func (i *inside) enter(op int, a slots) (outer made) {
	if i.many.Load() {
		i.word.Add(oneCall + uint64(op))
		return made{call: manyCalls}
	}
	return i.enterAlone(op, a)
}

// enterAlone is enter where one thread at a time calls.
func (i *inside) enterAlone(op int, a slots) (outer made) {
	outer, i.last = i.last, made{op + 1, a}
	return outer
}

// leaveAlone is leave after enterAlone.
func (i *inside) leaveAlone(outer made) { i.last = outer }

// manyCalls is in what enter returns where leave has to take the call off the word.
const manyCalls = -1

// leave notes the end of a call.
func (i *inside) leave(op int, outer made) {
	if outer.call == manyCalls {
		i.word.Add(-(oneCall + uint64(op)))
	} else {
		i.leaveAlone(outer)
	}
}

// current is the function that the program is in, "" if it is in several. place is the address where the program goes
// on after the call, 0 if that is not known. Of several threads nobody knows which one calls.
func (i *inside) current() (name string, place uint64) {
	if last := i.last; !i.many.Load() && last.call > 0 {
		if last.args != 0 {
			place = uint64(caller(last.args))
		}
		return calls[last.call-1].name, place
	}
	if w := i.word.Load(); w/oneCall == 1 {
		return calls[w%oneCall].name, 0
	}
	return "", 0
}

// titled is an object that messages to people name.
type titled interface{ title() string }

// site is where an error has come up.
type site struct {
	call  string
	on    titled  // nil: nothing
	place uintptr // where the program goes on after the call; 0: that is not known
}

func (s site) String() string {
	if s.on == nil {
		return s.call
	}
	return s.call + " on " + s.on.title()
}

// origin is the call by which the program has made an object.
type origin struct {
	call  string // "": that is not known
	place uint64
}

// here is the call that the program is in.
func (p *Process) here() (o origin) {
	o.call, o.place = p.inside.current()
	return o
}

// object names an object of a kind by the call that has made it, or by its handle.
func (o origin) object(kind string, handle uintptr) string {
	if o.call == "" {
		return fmt.Sprintf("%s %#x", kind, handle)
	}
	text := fmt.Sprintf("the %s of %s", kind, o.call)
	if place := nameOf(uintptr(o.place)); place != "" {
		text += " (" + place + ")"
	}
	return text
}

// namesOfPlaces are those that were looked up.
var namesOfPlaces sync.Map // string by uintptr

// nameOf is where a call stands in the source, such as "solve at solver.c:12"; "" if that is not known. Ranks do not
// read symbols, so pvasrun is started for that.
func nameOf(place uintptr) string {
	if known, ok := namesOfPlaces.Load(place); ok || place == 0 {
		name, _ := known.(string)
		return name
	}
	name := lookUp(uint64(place))
	namesOfPlaces.Store(place, name)
	return name
}

// lookUpLimit bounds how long an error waits for the name of a place: a large program takes its time to be read.
const lookUpLimit = 2 * time.Second

func lookUp(place uint64) string {
	reporter := os.Getenv(job.EnvBacktrace)
	for _, c := range processes.CodeOf(os.Getpid()) {
		if reporter == "" || !c.Holds(place) {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookUpLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, reporter)
		cmd.Env = []string{} // with the LD_AUDIT of ranks some C libraries (2.36) cannot start it
		cmd.Args = []string{job.BacktraceName, "", fmt.Sprintf("%s+%#x", c.Path, c.InFile(place))}
		name, err := cmd.Output()
		if err != nil {
			return ""
		}
		return string(name)
	}
	return ""
}
