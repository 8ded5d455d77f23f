package place

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/internal/node/topology"
)

// A Level is a kind of domain.
type Level string

// Levels, from small to large. None is no domain: as a binding it leaves ranks free.
const (
	None    Level = "none"
	Core    Level = "core"
	L3      Level = "l3"
	NUMA    Level = "numa"
	Package Level = "socket"
)

// A Policy says how ranks are placed.
type Policy struct {
	Map  Level // the domains that ranks are dealt to in turn; Core: to one core after another
	Bind Level // a rank may run on the CPUs of its domain of this kind
	CPUs int   // cores that each rank needs, at least 1
	Each int   // so many ranks are dealt to a domain before the next one has its turn; 0: one, while there are cores
}

// Ranks returns the CPUs that each of n ranks may run on, ascending; nil where it is not bound. The job may use cpus.
func Ranks(cpus []topology.CPU, p Policy, n int) [][]int {
	sets := make([][]int, n)
	if p.Bind == None || p.Bind == "" || len(cpus) == 0 {
		return sets
	}
	domains := divide(byLocality(cpus), p.Map)
	members := deal(domains, max(p.CPUs, 1), n)
	if p.Each > 0 {
		members = dealEach(len(domains), p.Each, n)
	}
	for d, ranks := range members {
		for i, own := range domains[d].places(len(ranks), max(p.CPUs, 1)) {
			sets[ranks[i]] = numbers(widen(cpus, own, p.Bind))
		}
	}
	return sets
}

// Domains returns the CPUs of each domain, in the order in which ranks are dealt to them.
func Domains(cpus []topology.CPU, of Level) (domains [][]int) {
	for _, domain := range group(byLocality(cpus), of) {
		domains = append(domains, numbers(domain))
	}
	return domains
}

// byLocality sorts CPUs so that those lie together that share most.
func byLocality(cpus []topology.CPU) []topology.CPU {
	list := slices.Clone(cpus)
	slices.SortStableFunc(list, func(a, b topology.CPU) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Die, b.Die), cmp.Compare(a.Node, b.Node),
			cmp.Compare(a.L3, b.L3), cmp.Compare(a.Core, b.Core), cmp.Compare(a.Number, b.Number))
	})
	return list
}

// domainOf names the domain that a CPU is in. Where one of the kind is not known it is the next larger one.
func domainOf(c topology.CPU, l Level) (id [2]int) {
	switch {
	case l == Core && c.Core != topology.Unknown:
		return [2]int{1, c.Core}
	case l == Core:
		return [2]int{2, c.Number}
	case l == L3 && c.L3 != topology.Unknown:
		return [2]int{3, c.L3}
	case (l == L3 || l == NUMA) && c.Node != topology.Unknown:
		return [2]int{4, c.Node}
	case l != None && c.Package != topology.Unknown:
		return [2]int{5, c.Package}
	}
	return id
}

// group divides CPUs by domain, in the order of their first ones.
func group(cpus []topology.CPU, l Level) (groups [][]topology.CPU) {
	at := map[[2]int]int{}
	for _, c := range cpus {
		id := domainOf(c, l)
		i, known := at[id]
		if !known {
			i = len(groups)
			at[id], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// A domain is where ranks are dealt to: its CPUs by core, and with the threads of a core side by side.
type domain struct {
	cpus  []topology.CPU
	cores [][]topology.CPU
}

// divide makes the domains that ranks are dealt to.
func divide(cpus []topology.CPU, by Level) (domains []domain) {
	groups := [][]topology.CPU{cpus}
	if by == L3 || by == NUMA || by == Package {
		groups = group(cpus, by)
	}
	for _, g := range groups {
		cores := group(g, Core)
		domains = append(domains, domain{slices.Concat(cores...), cores})
	}
	return domains
}

// deal returns the ranks of each domain. A domain has its turn while it has cores for one more rank. When none has, all
// begin again by their hardware threads, and then without regard to what they have: each time in proportion.
func deal(domains []domain, width, n int) [][]int {
	members := make([][]int, len(domains))
	room := func(round int, d domain) int {
		if round == 0 {
			return len(d.cores) / width
		}
		return max(len(d.cpus)/width, 1) * round
	}
	for rank, round := 0, 0; rank < n; round++ {
		for dealt := true; dealt && rank < n; {
			dealt = false
			for d := range domains {
				if rank < n && len(members[d]) < room(round, domains[d]) {
					members[d] = append(members[d], rank)
					rank, dealt = rank+1, true
				}
			}
		}
	}
	return members
}

// dealEach returns the ranks of each domain if each is dealt so many at a time.
func dealEach(domains, each, n int) [][]int {
	members := make([][]int, domains)
	for rank := range n {
		d := rank / each % domains
		members[d] = append(members[d], rank)
	}
	return members
}

// places returns the CPUs of each of n ranks in a domain.
func (d domain) places(n, width int) [][]topology.CPU {
	for _, within := range []Level{L3, NUMA, None} {
		if list := slots(group(d.cpus, within), width); len(list) >= n {
			return list[:n]
		}
	}
	if width == 1 {
		return d.threads(n)
	}
	// Hardware threads, in equal shares that may overlap.
	width = min(width, len(d.cpus))
	list := make([][]topology.CPU, n)
	for i := range list {
		at := min(i*len(d.cpus)/n, len(d.cpus)-width)
		list[i] = d.cpus[at : at+width]
	}
	return list
}

// slots cuts the cores of each group into places of so many cores. What is left over of a group stays free.
func slots(groups [][]topology.CPU, width int) (list [][]topology.CPU) {
	for _, g := range groups {
		cores := group(g, Core)
		for ; len(cores) >= width; cores = cores[width:] {
			list = append(list, slices.Concat(cores[:width]...))
		}
	}
	return list
}

// threads gives each of n ranks, at least as many as there are cores, a share of one core.
func (d domain) threads(n int) (list [][]topology.CPU) {
	for core, ranks := range d.ranksByCore(n) {
		threads := d.cores[core]
		for i := range ranks {
			lo := i * len(threads) / ranks
			list = append(list, threads[lo:max(lo+1, (i+1)*len(threads)/ranks)])
		}
	}
	return list
}

// ranksByCore divides ranks among the cores: one each, then one more where hardware threads are free, and so on. Where
// not all get one they are spread evenly.
func (d domain) ranksByCore(n int) []int {
	count := slices.Repeat([]int{1}, len(d.cores))
	left := n - len(count)
	for turn := 1; left > 0; {
		var spare []int
		for core, threads := range d.cores {
			if count[core] < len(threads)*turn {
				spare = append(spare, core)
			}
		}
		if spare == nil {
			turn++
			continue
		}
		more := min(left, len(spare))
		for i := range more {
			count[spare[i*len(spare)/more]]++
		}
		left -= more
	}
	return count
}

// widen returns all CPUs of the domains that some CPUs are in.
func widen(cpus, own []topology.CPU, to Level) (wide []topology.CPU) {
	if to == Core {
		return own
	}
	in := map[[2]int]bool{}
	for _, c := range own {
		in[domainOf(c, to)] = true
	}
	for _, c := range cpus {
		if in[domainOf(c, to)] {
			wide = append(wide, c)
		}
	}
	return wide
}

func numbers(cpus []topology.CPU) (list []int) {
	for _, c := range cpus {
		list = append(list, c.Number)
	}
	slices.Sort(list)
	return list
}
