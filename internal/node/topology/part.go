package topology

import (
	"io/fs"
	"slices"
	"strconv"
)

// A Part is a kind of part of a machine, from the smallest on.
type Part int

// Parts of a machine. Those of a cache are the CPUs that share it.
const (
	PartThread Part = iota
	PartCore
	PartL1
	PartL2
	PartL3
	PartPackage
	PartNode
)

// PartOf returns the part of a kind that all of some CPUs are in, by the number of its first CPU. It is Unknown if
// they are in several, or if the kernel does not show it.
func PartOf(root fs.FS, kind Part, cpus []int) int {
	if len(cpus) == 0 {
		return Unknown
	}
	all, err := ParseList(kind.list(root, cpus[0]))
	if err != nil {
		return Unknown
	}
	for _, cpu := range cpus {
		if !slices.Contains(all, cpu) {
			return Unknown
		}
	}
	return slices.Min(all)
}

// list reads the CPUs of the part that a CPU is in.
func (p Part) list(root fs.FS, cpu int) string {
	dir := CPU{Number: cpu}.dir()
	switch p {
	case PartThread:
		return strconv.Itoa(cpu)
	case PartCore:
		return readFirst(root, dir+"topology/", "core_cpus_list", "thread_siblings_list")
	case PartL1, PartL2, PartL3:
		if cache := cacheDir(root, cpu, int(p-PartL1)+1); cache != "" {
			return readLine(root, cache+"shared_cpu_list")
		}
	case PartPackage:
		return readFirst(root, dir+"topology/", "package_cpus_list", "core_siblings_list")
	case PartNode:
		nodes, _ := fs.Glob(root, nodeDir+"node*/cpulist") // the pattern is right
		for _, name := range nodes {
			text := readLine(root, name)
			if list, err := ParseList(text); err == nil && slices.Contains(list, cpu) {
				return text
			}
		}
	}
	return ""
}
