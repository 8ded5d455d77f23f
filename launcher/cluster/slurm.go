package cluster

import (
	"fmt"
	"strconv"
	"strings"
)

// InStep tells whether srun has started this process. The shell of an allocation may be a step as well, of a number of
// its own (SLURM_INTERACTIVE_STEP): it stands for the allocation.
func InStep(get func(string) string) bool {
	return get("SLURM_STEP_NODELIST") != "" && get("SLURM_STEP_ID") != "4294967290"
}

// SlurmHosts returns the nodes of the Slurm allocation that this process is in, with the
// ranks that the allocation has for each, from its environment; ok is false if there is no
// allocation. Inside a step there is none either: srun has started this process on each
// node already.
func SlurmHosts(get func(string) string) (hosts []Host, ok bool, err error) {
	list := get("SLURM_JOB_NODELIST")
	if list == "" || get("SLURM_JOB_ID") == "" || InStep(get) {
		return nil, false, nil
	}
	names, err := expandNodes(list)
	if err != nil {
		return nil, false, err
	}
	slots, err := slurmTasks(get)
	if err != nil {
		return nil, false, err
	}
	for i, name := range names {
		h := Host{Name: name}
		if i < len(slots) {
			h.Slots = slots[i]
		}
		hosts = append(hosts, h)
	}
	return hosts, true, nil
}

// slurmTasks returns the tasks that an allocation has for each node: as many as somebody has asked for, or whose CPUs
// somebody has (--cpus-per-task), or else one for each CPU.
func slurmTasks(get func(string) string) ([]int, error) {
	counts := get("SLURM_TASKS_PER_NODE")
	if counts == "" || get("SLURM_NTASKS") == "" && get("SLURM_CPUS_PER_TASK") == "" {
		counts = get("SLURM_JOB_CPUS_PER_NODE")
	}
	return expandCounts(counts)
}

// expandNodes expands a list of nodes as Slurm writes it, such as "n[0-2,07],m1".
func expandNodes(list string) (names []string, err error) {
	for list != "" {
		end := strings.IndexAny(list, ",[")
		if end < 0 {
			return append(names, list), nil
		}
		prefix := list[:end]
		if list[end] == ',' {
			names, list = append(names, prefix), list[end+1:]
			continue
		}
		inside, rest, ok := strings.Cut(list[end+1:], "]")
		if !ok {
			return nil, fmt.Errorf("launcher: Slurm's list of nodes %q has a bracket too few", list)
		}
		suffix, after, _ := strings.Cut(rest, ",")
		for span := range strings.SplitSeq(inside, ",") {
			numbers, err := expandSpan(span)
			if err != nil {
				return nil, err
			}
			for _, n := range numbers {
				names = append(names, prefix+n+suffix)
			}
		}
		list = after
	}
	return names, nil
}

// mostNodes bounds a span, so that a damaged one takes little memory.
const mostNodes = 1 << 16

// expandSpan expands "08-11".
func expandSpan(span string) (numbers []string, err error) {
	first, last, isSpan := strings.Cut(span, "-")
	if !isSpan {
		return []string{span}, nil
	}
	a, err1 := strconv.Atoi(first)
	b, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || a > b || b-a > mostNodes {
		return nil, fmt.Errorf("launcher: Slurm's list of nodes has a span %q", span)
	}
	for n := a; n <= b; n++ {
		numbers = append(numbers, fmt.Sprintf("%0*d", len(first), n))
	}
	return numbers, nil
}

// expandCounts expands "4(x2),2".
func expandCounts(list string) (counts []int, err error) {
	if list == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		number, times, repeated := strings.Cut(strings.TrimSuffix(item, ")"), "(x")
		n, err := strconv.Atoi(number)
		k := 1
		if err == nil && repeated {
			k, err = strconv.Atoi(times)
		}
		if err != nil || n < 1 || k < 1 || k > mostNodes {
			return nil, fmt.Errorf("launcher: Slurm's list of counts %q cannot be read", list)
		}
		for range k {
			counts = append(counts, n)
		}
	}
	return counts, nil
}
