package launcher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/sys"
)

// A Binding says which CPUs each rank may run on. The zero value binds nothing.
type Binding struct {
	Core bool    // ranks in blocks over the allowed CPUs
	Sets [][]int // rank i to entry i; nil: no list
}

// maxBindCPU is the highest CPU number that a list may name.
const maxBindCPU = 1023

// ParseBinding parses the value of --bind:
//
//	none     every rank may run on every CPU the job may use
//	core     rank i runs on the i-th CPU the job may use; with more ranks than CPUs, the first
//	         ranks share the first CPU, and so on
//	LIST     entries separated by commas, each a CPU ("3") or a range taken as
//	         one set ("4-7"); rank i runs on entry i
//
// With more ranks than entries a list begins again at the first.
func ParseBinding(s string) (Binding, error) {
	switch s {
	case "", "none":
		return Binding{}, nil
	case "core":
		return Binding{Core: true}, nil
	}
	var b Binding
	for entry := range strings.SplitSeq(s, ",") {
		set, err := parseCPUs(entry)
		if err != nil {
			return Binding{}, fmt.Errorf("launcher: binding %q: %w: use none, core or a list such as 0,2,4-7", s, err)
		}
		b.Sets = append(b.Sets, set)
	}
	return b, nil
}

func parseCPUs(entry string) ([]int, error) {
	first, last, isRange := strings.Cut(entry, "-")
	if !isRange {
		last = first
	}
	if first == "" {
		first = entry // such as -1
	}
	lo, err := parseCPU(first)
	if err != nil {
		return nil, err
	}
	hi, err := parseCPU(last)
	if err != nil {
		return nil, err
	}
	if hi < lo {
		return nil, fmt.Errorf("range %s runs backwards", entry)
	}
	set := make([]int, 0, hi-lo+1)
	for cpu := lo; cpu <= hi; cpu++ {
		set = append(set, cpu)
	}
	return set, nil
}

func parseCPU(s string) (int, error) {
	cpu, err := strconv.ParseUint(s, 10, 16)
	if err != nil || cpu > maxBindCPU {
		return 0, fmt.Errorf("%q is no CPU number from 0 to %d", s, maxBindCPU)
	}
	return int(cpu), nil
}

// String returns the text that ParseBinding takes.
func (b Binding) String() string {
	switch {
	case b.Core:
		return "core"
	case b.Sets == nil:
		return "none"
	}
	entries := make([]string, len(b.Sets))
	for i, set := range b.Sets {
		entries[i] = strconv.Itoa(set[0])
		if len(set) > 1 {
			entries[i] += "-" + strconv.Itoa(set[len(set)-1])
		}
	}
	return strings.Join(entries, ",")
}

// check refuses CPUs that the job may not use.
func (b Binding) check(allowed []int) error {
	for _, set := range b.Sets {
		for _, cpu := range set {
			if !slices.Contains(allowed, cpu) {
				return mistake{fmt.Errorf("launcher: binding %s: CPU %d is not one of those this job may use: %s", b,
					cpu, formatCPUs(allowed))}
			}
		}
	}
	return nil
}

// cpus returns the CPUs of a rank; nil means unbound.
func (b Binding) cpus(rank, ranks int, allowed []int) []int {
	switch {
	case b.Core:
		i := rank * len(allowed) / max(ranks, len(allowed))
		return allowed[i : i+1]
	case b.Sets != nil:
		return b.Sets[rank%len(b.Sets)]
	}
	return nil
}

// formatCPUs writes an ascending list with its runs drawn together: 0-3,8.
func formatCPUs(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		end := i
		for end+1 < len(cpus) && cpus[end+1] == cpus[end]+1 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if end > i {
			b.WriteString("-" + strconv.Itoa(cpus[end]))
		}
		i = end + 1
	}
	return b.String()
}

// allowedCPUs returns the CPUs this job may use.
func allowedCPUs() ([]int, error) {
	cpus, err := sys.Affinity()
	if err != nil {
		return nil, fmt.Errorf("launcher: CPUs of the job: %w", err)
	}
	return cpus, nil
}
