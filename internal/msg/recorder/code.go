package recorder

import (
	"os"
	"slices"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/trace"
)

// Calls of C programs. A function of the library hands on the address where the program goes on
// after the call. The rank notes in which file that address lies, and where: that is what a reader
// of the trace needs to find the symbol. It looks at the list of the process' memory once for each file.
//
// One thread of the rank calls at a time: a program that has asked for MPI_THREAD_MULTIPLE has no
// places. So fromC needs no lock. A recorder runs in the call,
// with the lock of the rank's engine held.

// fromC is where the program goes on after the call that is under way; 0: no C program calls.
var fromC uintptr

// FromC says that a C program calls, or (0) that it does not. It returns what was so before.
func FromC(pc uintptr) (before uintptr) {
	before, fromC = fromC, pc
	return before
}

// codes are the places of a C program.
type codes struct {
	recent  [siteSlots]site
	all     map[uintptr]uint16
	named   uint16
	modules []module
}

// module is code of a file in memory.
type module struct {
	processes.Code
	id string
}

// code returns the number of a place, 0 if it is not known.
func (r *Recorder) code(pc uintptr) uint64 {
	if s := &r.codes.recent[slot(pc)]; s.pc == pc {
		return uint64(s.number)
	}
	number, known := r.codes.all[pc]
	if !known {
		number = r.nameCode(pc)
		r.codes.all[pc] = number
	}
	r.codes.recent[slot(pc)] = site{pc, number}
	return uint64(number)
}

// nameCode gives a place a number, and has the file know what it stands for.
func (r *Recorder) nameCode(pc uintptr) uint16 {
	m := r.codes.find(pc)
	if m == nil || len(r.codes.all) >= 1<<16-2 {
		return 0
	}
	r.codes.named++
	r.Put(trace.NameCode(r.codes.named, trace.Code{Path: m.Path, BuildID: m.id, Offset: m.InFile(uint64(pc))})...)
	return r.codes.named
}

// find returns the module of an address, nil if there is none.
func (c *codes) find(pc uintptr) *module {
	i := slices.IndexFunc(c.modules, func(m module) bool { return m.Holds(uint64(pc)) })
	if i >= 0 {
		return &c.modules[i]
	}
	for _, code := range processes.CodeOf(os.Getpid()) {
		if code.Holds(uint64(pc)) {
			c.modules = append(c.modules, module{code, buildID(code.Path)})
			return &c.modules[len(c.modules)-1]
		}
	}
	return nil
}

// buildID is that of a program or library, "" if it has none.
func buildID(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	return trace.BuildID(f)
}
