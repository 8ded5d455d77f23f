package meter

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/job"
)

// In one address space nobody tells which rank has mapped an area outside of the partitions. But the threads of a rank
// that stands still wait in system calls. The arguments, the stack pointer and the instruction are addresses of the
// rank: in its heap, its stacks and its libraries. So an area with an address of one rank is that rank's. Of a library
// all areas are that lie side by side.

// A trace is an address by which a rank is known.
type trace struct {
	at   uint64
	rank int
}

// tracesOf returns those of ranks, by their processes, as far as the system shows them.
func tracesOf(pids []int) (all []trace) {
	for rank, pid := range pids {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
		for _, file := range files {
			text, _ := os.ReadFile(file) // an error: the thread has ended, or may not be looked at
			all = append(all, parseTraces(string(text), rank)...)
		}
	}
	return all
}

// parseTraces reads what the kernel shows of a thread. In a system call that is its number, the arguments, the stack
// pointer and the instruction, else a word.
func parseTraces(text string, rank int) (all []trace) {
	for i, word := range strings.Fields(text) {
		if at, err := strconv.ParseUint(word, 0, 64); err == nil && i > 0 {
			all = append(all, trace{at, rank})
		}
	}
	return all
}

// ownersOf returns the ranks of areas by where these begin; job.Unknown: of several ones.
func ownersOf(list []areas.Area, traces []trace) map[uint64]int {
	slices.SortFunc(traces, func(a, b trace) int { return cmp.Compare(a.at, b.at) })
	owners := map[uint64]int{}
	for len(list) > 0 {
		n := 1
		for n < len(list) && continues(list[n-1], list[n]) {
			n++
		}
		first, _ := slices.BinarySearchFunc(traces, list[0].Start, func(t trace, at uint64) int {
			return cmp.Compare(t.at, at)
		})
		owner, known := 0, false
		for _, t := range traces[first:] {
			if t.at >= list[n-1].End {
				break
			}
			if known && t.rank != owner {
				t.rank = job.Unknown
			}
			owner, known = t.rank, true
		}
		for _, a := range list[:n] {
			if known {
				owners[a.Start] = owner
			}
		}
		list = list[n:]
	}
	return owners
}

// continues tells whether an area belongs to the library of the one before it. It is of the same file, or has the
// variables that start as zeros.
func continues(before, a areas.Area) bool {
	return ofFile(before) && before.End == a.Start && (a.Path == before.Path || a.Path == "" && writable(a))
}
