package recorder

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gopvas/gopvas/trace"
)

// sites finds where in the program calls stand: the file and line of the first caller that is not
// of the library.
//
// To ask the runtime for callers takes a microsecond. So that is done once for each place. From
// then on its return address is known, and how many frames above the recorder it was. A call of the
// same kind looks there first: that takes some ns, as frames are linked by their frame pointers. An
// address that is not known as such a place is one of another way into the library, and is looked
// for again.
//
// The stack of a C program is not linked. Its places come from the library's functions: see code.go.
type sites struct {
	depth  [64]uint64 // by kind: where the return address is; 0: not known
	recent [siteSlots]site
	all    map[uintptr]uint16 // by return address
	names  map[string]uint16
	off    bool
	failed int // searches in vain
}

type site struct {
	pc     uintptr
	number uint16
}

const (
	siteSlots = 256

	// callers is how many frames the library may have, and more.
	callers = 32

	// mostFailed is how many searches may be in vain before there are no more.
	mostFailed = 16

	// shortSend stands for the kind of short sends, and waits is added to that of calls whose
	// place is looked for when they begin: these have other frames above them.
	shortSend = trace.None
	waits     = 32

	library = "github.com/gopvas/gopvas/"
	face    = library + "internal/capi" // of C programs
)

// slot is the place of an address in sites.recent.
func slot(pc uintptr) uintptr { return (pc ^ pc>>8) % siteSlots }

// site returns the number of the place of a call, 0 if it is not known.
//
//go:noinline
func (r *Recorder) site(k trace.Kind) uint64 {
	if fromC != 0 {
		return r.code(fromC)
	}
	if pc := returnAt(r.sites.depth[k]); pc != 0 {
		if s := &r.sites.recent[slot(pc)]; s.pc == pc {
			return uint64(s.number)
		}
	}
	if r.sites.off || k == trace.Init || k == trace.Finalize {
		return 0
	}
	return uint64(r.findSite(k))
}

// findSite is site for a place that is not known yet, or has come by another way. Only site
// calls it: it has one frame more.
//
//go:noinline
func (r *Recorder) findSite(k trace.Kind) uint16 {
	s := &r.sites
	frame, ok := caller()
	if strings.HasPrefix(frame.Function, face) {
		s.off = true
		return 0
	}
	for depth := uint64(1); ok && depth < callers; depth++ {
		pc := returnAt(depth + 1)
		if f := runtime.FuncForPC(pc - 1); f == nil || f.Entry() != frame.Entry {
			continue
		}
		number, known := s.all[pc]
		if !known {
			if number, known = r.nameSite(frame); !known {
				return 0
			}
			s.all[pc] = number
		}
		s.depth[k], s.recent[slot(pc)] = depth, site{pc, number}
		return number
	}
	s.failed++
	s.off = s.failed > mostFailed
	return 0
}

// caller returns the first frame that is not of the library, or is that of its face for C.
func caller() (runtime.Frame, bool) {
	var pcs [callers]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if !ofLibrary(frame.Function) || strings.HasSuffix(frame.File, "_test.go") {
			return frame, frame.Entry != 0
		}
		if !more {
			return runtime.Frame{}, false
		}
	}
}

// Caller returns the "file:line function" that calls the library: the first frame that is not of it. It is "" in a
// goroutine of the library, and if a C program calls: its stack is another one. Caller takes a microsecond or two, and
// allocates.
func Caller() string {
	frame, ok := caller()
	if !ok || strings.HasPrefix(frame.Function, face) || strings.HasPrefix(frame.Function, "runtime.") {
		return ""
	}
	name := frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
	return fmt.Sprintf("%s:%d %s", filepath.Base(frame.File), frame.Line, name)
}

// ofLibrary tells whether a function is a part of what programs call.
func ofLibrary(function string) bool {
	name, ok := strings.CutPrefix(function, library)
	if !ok {
		return false
	}
	for _, part := range []string{
		"mpi.", "mpi/pool.", "mpi/value.",
		"shm.", "internal/msg/",
	} {
		if strings.HasPrefix(name, part) {
			return true
		}
	}
	return false
}

// nameSite gives a place its number, and has the file know it.
func (r *Recorder) nameSite(frame runtime.Frame) (uint16, bool) {
	name := fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
	number, known := r.sites.names[name]
	if !known {
		if len(r.sites.names) == 1<<16-1 {
			return 0, false
		}
		number = uint16(len(r.sites.names) + 1)
		r.sites.names[name] = number
		r.Put(trace.NameSite(number, name)...)
	}
	return number, true
}
