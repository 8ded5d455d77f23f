package topology

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Unknown stands for a number that the kernel does not show.
const Unknown = -1

// A CPU is what the kernel schedules on: a hardware thread of a core. Cores and L3 domains are numbered from 0 in the
// order of their first CPUs; the others have the numbers of the kernel.
type CPU struct {
	Number  int
	Core    int
	L3      int
	Node    int // of memory: NUMA
	Die     int
	Package int
}

// nowhere is a CPU of which nothing but its number is known.
func nowhere(number int) CPU { return CPU{number, Unknown, Unknown, Unknown, Unknown, Unknown} }

// A Node is a NUMA node. It may have CPUs, memory, or both.
type Node struct {
	Number    int
	MemoryKiB uint64 // 0: none, or unknown
	Distances []int  // to the nodes in the order of Machine.Nodes; nil: unknown
}

// A Machine is its CPUs that are online, in ascending order, and what they belong to.
type Machine struct {
	CPUs  []CPU
	Nodes []Node
	Seen  bool // the kernel has shown which CPUs are online
}

const (
	cpuDir  = "sys/devices/system/cpu/"
	nodeDir = "sys/devices/system/node/"
)

// Here reads this machine. usable are the CPUs of the process, which are all that is known without sysfs.
func Here(usable []int) *Machine { return Read(os.DirFS("/"), usable) }

// Read reads the machine with that file system.
func Read(root fs.FS, usable []int) *Machine {
	m := new(Machine)
	online, err := ParseList(readLine(root, cpuDir+"online"))
	if m.Seen = err == nil && len(online) > 0; !m.Seen {
		online = slices.Clone(usable)
	}
	for _, n := range online {
		m.CPUs = append(m.CPUs, nowhere(n))
	}
	m.readNodes(root)
	m.number(func(c *CPU) *int { return &c.Core }, func(c CPU) string {
		return readFirst(root, c.dir()+"topology/", "core_cpus_list", "thread_siblings_list")
	}, nil)
	m.number(func(c *CPU) *int { return &c.L3 }, func(c CPU) string {
		if dir := cacheDir(root, c.Number, 3); dir != "" {
			return readLine(root, dir+"shared_cpu_list")
		}
		return ""
	}, nil)
	m.number(func(c *CPU) *int { return &c.Die }, func(c CPU) string {
		return readLine(root, c.dir()+"topology/die_cpus_list")
	}, kernelNumber(root, "die_id"))
	m.number(func(c *CPU) *int { return &c.Package }, func(c CPU) string {
		return readFirst(root, c.dir()+"topology/", "package_cpus_list", "core_siblings_list")
	}, kernelNumber(root, "physical_package_id"))
	return m
}

func (c CPU) dir() string { return cpuDir + "cpu" + strconv.Itoa(c.Number) + "/" }

// number numbers the domains of a kind. list reads the CPUs of the domain that a CPU is in. It is called once for each
// domain, since all of its CPUs have the same list. own is the kernel's number of the domain, below 0 if it has none.
// If own is nil the domains are counted.
func (m *Machine) number(field func(*CPU) *int, list func(CPU) string, own func(CPU) int) {
	next := 0
	for i := range m.CPUs {
		c := &m.CPUs[i]
		if *field(c) != Unknown {
			continue
		}
		cpus, err := ParseList(list(*c))
		if err != nil || !slices.Contains(cpus, c.Number) {
			continue
		}
		n := next
		if own != nil {
			if n = own(*c); n < 0 {
				continue
			}
		}
		next++
		for _, cpu := range cpus {
			if k, online := m.find(cpu); online {
				*field(&m.CPUs[k]) = n
			}
		}
	}
}

// kernelNumber returns the number that a file of a CPU's topology has.
func kernelNumber(root fs.FS, name string) func(CPU) int {
	return func(c CPU) int {
		n, err := strconv.Atoi(readLine(root, c.dir()+"topology/"+name))
		if err != nil {
			return Unknown
		}
		return n
	}
}

// find returns where a CPU is in CPUs.
func (m *Machine) find(number int) (i int, online bool) {
	return slices.BinarySearchFunc(m.CPUs, number, func(c CPU, n int) int { return c.Number - n })
}

// Of returns those of the given CPUs that are online. One that the kernel has not shown belongs to nothing known.
func (m *Machine) Of(numbers []int) []CPU {
	list := make([]CPU, 0, len(numbers))
	for _, n := range numbers {
		if i, online := m.find(n); online {
			list = append(list, m.CPUs[i])
			continue
		}
		list = append(list, nowhere(n))
	}
	return list
}

// readNodes reads the NUMA nodes. A kernel without NUMA has no such folder, and then nothing is known.
func (m *Machine) readNodes(root fs.FS) {
	entries, _ := fs.ReadDir(root, path.Clean(nodeDir)) // none: no sysfs, or no NUMA
	for _, e := range entries {
		text, isNode := strings.CutPrefix(e.Name(), "node")
		number, err := strconv.Atoi(text)
		if !isNode || err != nil || number < 0 {
			continue
		}
		dir := nodeDir + e.Name() + "/"
		node := Node{Number: number, MemoryKiB: memoryOf(root, dir+"meminfo")}
		for word := range strings.FieldsSeq(readLine(root, dir+"distance")) {
			if d, err := strconv.Atoi(word); err == nil {
				node.Distances = append(node.Distances, d)
			}
		}
		cpus, _ := ParseList(readLine(root, dir+"cpulist")) // an error: none are known to be there
		for _, cpu := range cpus {
			if i, online := m.find(cpu); online {
				m.CPUs[i].Node = number
			}
		}
		m.Nodes = append(m.Nodes, node)
	}
	slices.SortFunc(m.Nodes, func(a, b Node) int { return a.Number - b.Number })
	for i := range m.Nodes {
		if len(m.Nodes[i].Distances) != len(m.Nodes) {
			m.Nodes[i].Distances = nil
		}
	}
}

// memoryOf reads MemTotal of a node: "Node 0 MemTotal: 24684096 kB".
func memoryOf(root fs.FS, name string) uint64 {
	text, _ := fs.ReadFile(root, name) // an error: unknown
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) >= 4 && f[2] == "MemTotal:" {
			kib, _ := strconv.ParseUint(f[3], 10, 64) // an error: unknown
			return kib
		}
	}
	return 0
}

// readLine reads a file of one line; "" if it is not there.
func readLine(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name) // an error: the kernel does not show it
	return strings.TrimSpace(string(text))
}

// readFirst reads the first of some files that is there.
func readFirst(root fs.FS, dir string, names ...string) string {
	for _, name := range names {
		if text := readLine(root, dir+name); text != "" {
			return text
		}
	}
	return ""
}
