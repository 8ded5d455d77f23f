package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// ParseList parses a list of CPUs as the kernel writes it: "0-3,8". The result ascends, without repetitions.
func ParseList(text string) ([]int, error) {
	var cpus []int
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		set, err := ParseRange(item)
		if err != nil {
			return nil, err
		}
		cpus = append(cpus, set...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// ParseRange parses "3" or "4-7".
func ParseRange(item string) ([]int, error) {
	first, last, isRange := strings.Cut(item, "-")
	if !isRange {
		last = first
	}
	if first == "" {
		first = item // such as -1
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
		return nil, fmt.Errorf("range %s runs backwards", item)
	}
	set := make([]int, 0, hi-lo+1)
	for cpu := lo; cpu <= hi; cpu++ {
		set = append(set, cpu)
	}
	return set, nil
}

func parseCPU(s string) (int, error) {
	cpu, err := strconv.ParseUint(s, 10, 32)
	if err != nil || cpu > sys.MostCPU {
		return 0, fmt.Errorf("%q is no CPU number from 0 to %d", s, sys.MostCPU)
	}
	return int(cpu), nil
}

// FormatList writes an ascending list with its runs drawn together: 0-3,8.
func FormatList(cpus []int) string {
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
