package machine

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
)

// Shape is what the CPUs that are online belong to. A number that is nil is not known.
type Shape struct {
	Sockets   *int     `json:"sockets"`
	NUMANodes *int     `json:"numa_nodes"`
	L3Domains *int     `json:"l3_domains"`
	Cores     *int     `json:"cores"`
	CPUs      int      `json:"cpus"`
	Usable    string   `json:"usable"` // a list such as 0-3,8
	Domains   []Domain `json:"domains"`
	Memory    []Memory `json:"memory"`

	// Bound says why each rank is bound to a share of the cores by default, if there are enough; "": none is.
	Bound string `json:"bound_by_default"`
}

// A Domain is CPUs that have everything above a core in common.
type Domain struct {
	Socket *int   `json:"socket"`
	Die    *int   `json:"die"`
	NUMA   *int   `json:"numa_node"`
	L3     *int   `json:"l3_domain"`
	Cores  *int   `json:"cores"`
	CPUs   string `json:"cpus"`
	Usable string `json:"usable"`
}

// Memory is that of a NUMA node.
type Memory struct {
	Node      int    `json:"numa_node"`
	KiB       uint64 `json:"kib"`       // 0: none, or not known
	Distances []int  `json:"distances"` // to the nodes in their order; null: not known
}

func readShape(root fs.FS, getenv func(string) string) Shape {
	usable, _ := sys.Affinity() // an error: the start of a job says it
	return shapeOf(topology.Read(root, usable), root, getenv, usable)
}

func shapeOf(m *topology.Machine, root fs.FS, getenv func(string) string, usable []int) Shape {
	s := Shape{CPUs: len(m.CPUs), Usable: topology.FormatList(usable), Bound: m.Own(root, getenv, usable),
		Domains: []Domain{}, Memory: []Memory{}}
	s.Sockets, s.L3Domains, s.Cores = countOf(m.CPUs, pkg), countOf(m.CPUs, l3), countOf(m.CPUs, core)
	if m.Nodes != nil {
		n := len(m.Nodes)
		s.NUMANodes = &n
	}
	for _, n := range m.Nodes {
		s.Memory = append(s.Memory, Memory{n.Number, n.MemoryKiB, n.Distances})
	}
	rows := map[[4]int][]topology.CPU{}
	var order [][4]int
	for _, c := range m.CPUs {
		key := [4]int{c.Package, c.Die, c.Node, c.L3}
		if rows[key] == nil {
			order = append(order, key)
		}
		rows[key] = append(rows[key], c)
	}
	slices.SortFunc(order, func(a, b [4]int) int { return slices.Compare(a[:], b[:]) })
	for _, key := range order {
		var all, mine []int
		for _, c := range rows[key] {
			all = append(all, c.Number)
			if slices.Contains(usable, c.Number) {
				mine = append(mine, c.Number)
			}
		}
		s.Domains = append(s.Domains, Domain{orNil(key[0]), orNil(key[1]), orNil(key[2]), orNil(key[3]),
			countOf(rows[key], core), topology.FormatList(all), topology.FormatList(mine)})
	}
	return s
}

func core(c topology.CPU) int { return c.Core }
func l3(c topology.CPU) int   { return c.L3 }
func pkg(c topology.CPU) int  { return c.Package }

// countOf counts the domains of a kind; nil if that of a CPU is not known.
func countOf(cpus []topology.CPU, field func(topology.CPU) int) *int {
	seen := map[int]bool{}
	for _, c := range cpus {
		if field(c) == topology.Unknown {
			return nil
		}
		seen[field(c)] = true
	}
	n := len(seen)
	return &n
}

func orNil(n int) *int {
	if n == topology.Unknown {
		return nil
	}
	return &n
}

// write writes the shape for people.
func (s Shape) write(b *strings.Builder) {
	words := []string{}
	for _, k := range []struct {
		n    *int
		noun string
	}{{s.Sockets, "socket"}, {s.NUMANodes, "NUMA node"}, {s.L3Domains, "L3 domain"}, {s.Cores, "core"},
		{&s.CPUs, "CPU"}} {
		switch {
		case k.n == nil:
			words = append(words, k.noun+"s unknown")
		case *k.n == 1:
			words = append(words, "1 "+k.noun)
		default:
			words = append(words, fmt.Sprintf("%d %ss", *k.n, k.noun))
		}
	}
	fmt.Fprintf(b, "%-14s %s\n", "Shape", strings.Join(words, ", "))
	text := "none by default: nothing shows that the CPUs are one job's own"
	if s.Bound != "" {
		text = "an equal share of the cores for each rank, unless ranks outnumber CPUs: " + s.Bound
	}
	fmt.Fprintf(b, "%-14s %s\n\n", "Binding", text)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Socket\tdie\tNUMA node\tL3 domain\tcores\tCPUs\tusable")
	for _, d := range s.Domains {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", digit(d.Socket), digit(d.Die), digit(d.NUMA), digit(d.L3),
			digit(d.Cores), d.CPUs, cmp.Or(d.Usable, "none"))
	}
	w.Flush()
	if len(s.Memory) == 0 {
		return
	}
	fmt.Fprintln(w, "\nNUMA node\tmemory\tdistance to each")
	for _, m := range s.Memory {
		distances := strings.Trim(fmt.Sprint(m.Distances), "[]")
		fmt.Fprintf(w, "%d\t%s\t%s\n", m.Node, mib(m.KiB), orUnknown(distances))
	}
	w.Flush()
}

func digit(n *int) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

// mib is memory in MiB: nodes have odd numbers of KiB.
func mib(kib uint64) string {
	if kib == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d MiB", kib>>10)
}
