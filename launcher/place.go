package launcher

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/trace/symbol"
)

// The places in the program where ranks wait. A rank says no more than an address of its memory
// (job.Waiting.Place). The supervisor of its node asks the kernel which file has its code there, and the file for the
// function and the line. What was found is kept, since looks for a deadlock ask again and again.

// callAt is a call of a rank.
type callAt struct {
	pid     int
	address uint64
}

// places returns where calls stand in the program, given their addresses by rank of this node, 0 for none. A place
// that is not known is zero.
func (s *supervisor) places(addresses []uint64) []symbol.Place {
	code := map[int][]processes.Code{}
	offsets, calls := map[string][]uint64{}, map[string][]callAt{}
	for rank, address := range addresses {
		call := callAt{s.pids[rank], address}
		if _, known := s.named[call]; known || address == 0 || call.pid == 0 {
			continue
		}
		space := call.pid
		if s.btl == job.BTLPvas {
			space = 0 // the same for all ranks
		}
		if len(code[space]) == 0 {
			code[space] = processes.CodeOf(call.pid)
		}
		if i := slices.IndexFunc(code[space], func(c processes.Code) bool { return c.Holds(address) }); i >= 0 {
			c := code[space][i]
			offsets[c.Path], calls[c.Path] = append(offsets[c.Path], c.InFile(address)), append(calls[c.Path], call)
		}
	}
	for path, list := range offsets {
		found, _ := symbol.Calls(path, list) // an error: there are no places
		for i, place := range found {
			s.named[calls[path][i]] = place
		}
	}
	places := make([]symbol.Place, len(addresses))
	for rank, address := range addresses {
		places[rank] = s.named[callAt{s.pids[rank], address}]
	}
	return places
}

// placeOf is the place of the call that a rank waits or polls in: the one in a C program if there is one, else that
// which a program in Go has told.
func placeOf(v *job.View, inC symbol.Place) symbol.Place {
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

// inParentheses names a place behind the name of a call.
func inParentheses(p symbol.Place) string {
	if name := p.String(); name != "" {
		return " (" + name + ")"
	}
	return ""
}
