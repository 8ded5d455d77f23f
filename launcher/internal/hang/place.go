package hang

import (
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/symbol"
)

// The places in the program where ranks wait. A rank says no more than an address of its memory
// (job.Waiting.Place). The supervisor of its node asks the kernel which file has its code there, and the file for the
// function and the line. To read files may take long, so a goroutine does it beside the events. What was found is kept,
// since looks for a deadlock ask again and again.

// Call is a call of a rank.
type Call struct {
	Pid     int
	Address uint64
}

// ReadPlaces reads where calls stand in the program. shared tells whether all processes have the same memory.
func ReadPlaces(calls []Call, shared bool) map[Call]symbol.Place {
	var files symbol.Files
	code, places := map[int][]processes.Code{}, map[Call]symbol.Place{}
	for _, call := range calls {
		space := call.Pid
		if shared {
			space = 0
		}
		if len(code[space]) == 0 {
			code[space] = processes.CodeOf(call.Pid)
		}
		for _, c := range code[space] {
			if c.Holds(call.Address) {
				places[call] = files.Call(c.Path, c.InFile(call.Address))
			}
		}
	}
	return places
}

// PlaceOf is the place of the call that a rank waits or polls in: the one in a C program if there is one, else that
// which a program in Go has told.
func PlaceOf(v *job.View, inC symbol.Place) symbol.Place {
	source := v.Waiting.Source + v.Polls.Source // one is ""
	if inC.Function != "" || source == "" {
		return inC
	}
	at, function, _ := strings.Cut(source, " ")
	file, line, _ := strings.Cut(at, ":")
	p := symbol.Place{Function: function, File: file}
	p.Line, _ = strconv.Atoi(line) // 0: not known
	return p
}

// InParentheses names a place behind the name of a call.
func InParentheses(p symbol.Place) string {
	if name := p.String(); name != "" {
		return " (" + name + ")"
	}
	return ""
}

// Stopped tells whether a process is stopped by a signal.
func Stopped(pid int) bool {
	p, ok := processes.Find(pid) // not ok: it has not been started, or has gone
	return ok && p.State == 'T'
}
