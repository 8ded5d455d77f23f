package limits

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Error names a limit of the system that is too low for a job.
type Error struct {
	Limit string // as people set it: "vm.max_map_count", "RLIMIT_AS (ulimit -v)"
	Have  uint64
	Need  uint64 // with what is taken already
	Fix   string // what to do
}

// Error says what is too low, how high it has to be, and how to raise it.
func (e *Error) Error() string {
	return fmt.Sprintf("%s is %d, the job needs %d: %s", e.Limit, e.Have, e.Need, e.Fix)
}

// Job returns an *Error if a limit that counts in either task model is too low for so
// many ranks with stacks of size bytes, 0: of RLIMIT_STACK; files tells whether the supervisor reads the output of
// each.
func Job(ranks int, size uint64, files bool) error {
	from := here()
	if size != 0 {
		from = from.withStack(size)
	}
	return check(read(os.DirFS("/"), from), ranks, concernsJob(files))
}

func concernsJob(files bool) func(*Limit) bool {
	return func(l *Limit) bool { return l.forbidsAll() || !l.OneSpace && (files || l.Name != nofile) }
}

// Space returns an *Error if a limit that all ranks of one address space share is too low
// for so many. Partitions count with the least size. Job looks at the others, before:
// what they forbid helps no task model.
func Space(ranks int) error {
	return check(readHere(), ranks, func(l *Limit) bool { return l.OneSpace || l.forbidsAll() })
}

// Partitions returns an *Error if RLIMIT_AS is too low for so many ranks in one address
// space with partitions of size bytes.
func Partitions(ranks int, size uint64) error {
	return check([]Limit{addressSpace(here(), size)}, ranks, func(*Limit) bool { return true })
}

// Areas returns an *Error if vm.max_map_count is too low for ranks in one address space
// that together have so many memory areas.
func Areas(areas uint64) error { return checkAreas(os.DirFS("/"), areas) }

func checkAreas(root fs.FS, areas uint64) error {
	l := areaLimit(root, areasOfHost, max(areas, 1))
	l.setRanks()
	return check([]Limit{l}, 1, func(*Limit) bool { return true })
}

// AreasTaken returns an *Error if the process has nearly as many memory areas as
// vm.max_map_count allows. Then this is why it gets no more memory.
func AreasTaken(pid int) error { return checkAreasTaken(os.DirFS("/"), pid) }

func checkAreasTaken(root fs.FS, pid int) error {
	text, err := fs.ReadFile(root, fmt.Sprintf("proc/%d/maps", pid))
	if err != nil {
		return nil // it has ended
	}
	taken := uint64(bytes.Count(text, []byte("\n")))
	l := areaLimit(root, 0, 1)
	if l.Value == nil || taken+nearlyAll < *l.Value {
		return nil
	}
	return &Error{Limit: l.Name, Have: *l.Value, Need: *l.Value + 1, Fix: l.Fix}
}

// nearlyAll is how near to the limit a process is when it gets no more: it may have
// given some back when it ended.
const nearlyAll = 2048

func check(limits []Limit, ranks int, concerns func(*Limit) bool) error {
	for i := range limits {
		l := &limits[i]
		if l.Ranks == nil || *l.Ranks >= uint64(ranks) || !concerns(l) {
			continue
		}
		if l.forbidsAll() {
			fix, _, _ := strings.Cut(l.Fix, ", ") // the other ways out do not help
			return &Error{Limit: l.Title, Have: *l.Value, Need: l.PerProcess, Fix: fix}
		}
		return &Error{Limit: l.Title, Have: *l.Value, Need: l.Used + uint64(ranks)*l.PerRank, Fix: l.Fix}
	}
	return nil
}

// here is the source of the limits of this process.
func here() source { return source{sys.SoftLimit, sys.HardLimit, os.Getuid()} }

func readHere() []Limit { return read(os.DirFS("/"), here()) }
