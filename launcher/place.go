package launcher

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/trace/symbol"
)

// The places in the program where ranks wait. A rank says no more than an address of its memory
// (job.Waiting.Place). The supervisor of its node asks the kernel which file has its code there, and the file for the
// function and the line. To read files may take long, so a goroutine does it beside the events. What was found is kept,
// since looks for a deadlock ask again and again.

// placeTime limits how long a report waits for places: files may be in a file system that hangs. The leader of several
// nodes waits for an answer for hangTime only.
const (
	placeTime     = 5 * time.Second
	placeTimeAway = hangTime / 2
)

// callAt is a call of a rank.
type callAt struct {
	pid     int
	address uint64
}

// placing is what a supervisor knows of places.
type placing struct {
	read    func(calls []callAt, shared bool) map[callAt]symbol.Place
	known   map[callAt]symbol.Place // of the calls that were asked for; zero: it is not known, or not yet
	reading int                     // goroutines that reports wait for
	late    <-chan time.Time        // when reports do without
	then    []func()                // is called when all is read, or late
}

// whenPlaced calls then when the places of the calls in which ranks are now are known, or cannot be read in time.
func (s *supervisor) whenPlaced(then func()) {
	p := &s.placing
	var fresh []callAt
	for rank := range s.pids {
		call := s.callNow(rank)
		if _, asked := p.known[call]; !asked && call.address != 0 {
			p.known[call] = symbol.Place{}
			fresh = append(fresh, call)
		}
	}
	if len(fresh) > 0 {
		p.reading++
		shared := s.btl == job.BTLPvas
		go func() {
			found := p.read(fresh, shared)
			s.post(func() { s.placesFound(found) })
		}()
	}
	if p.reading == 0 {
		then()
		return
	}
	p.then = append(p.then, then)
	if limit := placeTime; p.late == nil {
		if s.job.Part != nil {
			limit = placeTimeAway
		}
		p.late = time.After(limit)
	}
}

// placesFound takes in what a goroutine has read.
func (s *supervisor) placesFound(found map[callAt]symbol.Place) {
	maps.Copy(s.placing.known, found)
	if s.placing.reading--; s.placing.reading <= 0 {
		s.placesLate()
	}
}

// placesLate has the reports go on. Later ones do not wait for what is still being read.
func (s *supervisor) placesLate() {
	then := s.placing.then
	s.placing.reading, s.placing.late, s.placing.then = 0, nil, nil
	for _, f := range then {
		f()
	}
}

// callNow is the call in which a rank of this node waits or polls. It has no address if that is not known.
func (s *supervisor) callNow(rank int) callAt {
	call, number := callAt{pid: s.pids[rank]}, s.number(rank)
	if call.pid == 0 || s.memory.Root().Gone(number) {
		return call
	}
	if w, waits := s.memory.Root().Waiting(number); waits {
		call.address = w.Place
	} else {
		call.address = s.memory.Root().Polls(number).Place
	}
	return call
}

// readPlaces reads where calls stand in the program. shared tells whether all processes have the same memory.
func readPlaces(calls []callAt, shared bool) map[callAt]symbol.Place {
	code := map[int][]processes.Code{}
	offsets, of := map[string][]uint64{}, map[string][]callAt{}
	for _, call := range calls {
		space := call.pid
		if shared {
			space = 0
		}
		if len(code[space]) == 0 {
			code[space] = processes.CodeOf(call.pid)
		}
		if i := slices.IndexFunc(code[space], func(c processes.Code) bool { return c.Holds(call.address) }); i >= 0 {
			c := code[space][i]
			offsets[c.Path], of[c.Path] = append(offsets[c.Path], c.InFile(call.address)), append(of[c.Path], call)
		}
	}
	places := map[callAt]symbol.Place{}
	for path, list := range offsets {
		found, _ := symbol.Calls(path, list) // an error: there are no places
		for i, place := range found {
			places[of[path][i]] = place
		}
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
