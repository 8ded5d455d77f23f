package launcher

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher/internal/place"
)

// A Binding says which CPUs each rank may run on. The zero value binds nothing.
type Binding struct {
	// To is the kind of domain within which a rank may move: core, l3, numa, socket, or none. With auto it is that of
	// By, and without By core if CPUs is set. Without both it is an equal share of the cores if the node's CPUs are the
	// job's own and enough, else none.
	To   string
	Sets [][]int // rank i to entry i, instead of To; nil: no list
	By   string  // the domains that the ranks of a node are dealt to in turn; "" or core: one core after another
	CPUs int     // cores that each rank needs; 0: one
	Each int     // ranks that a domain of By is dealt before the next one; 0: one

	// Allotted says that CPUs is what an allocation has for each rank, and no wish: ranks are bound to so many by
	// default only where the CPUs are the job's own.
	Allotted bool
}

const bindAuto = "auto"

// domainNames are the kinds of domains, with the names that others have for them.
var domainNames = map[string]place.Level{
	"core": place.Core, "l3": place.L3, "l3cache": place.L3, "numa": place.NUMA, "socket": place.Package,
	"package": place.Package,
}

// ParseBinding parses the value of --bind:
//
//	auto                   see Binding.To
//	none                   every rank may run on every CPU the job may use
//	core, l3, numa, socket every rank may run on the CPUs of its core, and so on
//	LIST                   entries separated by commas, each a CPU ("3") or a range taken as
//	                       one set ("4-7"); rank i runs on entry i
//
// With more ranks than entries a list begins again at the first.
func ParseBinding(s string) (Binding, error) {
	if s == "" || s == string(place.None) {
		return Binding{}, nil
	}
	if level, known := domainNames[s]; known {
		return Binding{To: string(level)}, nil
	}
	if s == bindAuto {
		return Binding{To: bindAuto}, nil
	}
	var b Binding
	for entry := range strings.SplitSeq(s, ",") {
		set, err := topology.ParseRange(entry)
		if err != nil {
			return Binding{}, fmt.Errorf("launcher: binding %q: %w: use auto, none, core, l3, numa, socket or a "+
				"list such as 0,2,4-7", s, err)
		}
		b.Sets = append(b.Sets, set)
	}
	return b, nil
}

// String returns the text that ParseBinding takes.
func (b Binding) String() string {
	if b.Sets == nil {
		return cmp.Or(b.To, string(place.None))
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

// wants tells whether each rank is to be bound to so many cores, or to more.
func (b Binding) wants(cores int) bool {
	return b.CPUs >= cores && !b.Allotted && b.Sets == nil && b.To != "" && b.To != string(place.None)
}

// check refuses CPUs that the job may not use, and more for a rank than there are.
func (b Binding) check(allowed []int) error {
	if b.wants(len(allowed) + 1) {
		return mistake{fmt.Errorf("launcher: %d cores for each rank: this job has CPU %s alone: ask for fewer "+
			"(--cpus-per-rank), or write --bind none", b.CPUs, topology.FormatList(allowed))}
	}
	for _, set := range b.Sets {
		for _, cpu := range set {
			if !slices.Contains(allowed, cpu) {
				return mistake{fmt.Errorf("launcher: binding %s: CPU %d is not one of those this job may use: %s", b,
					cpu, topology.FormatList(allowed))}
			}
		}
	}
	return nil
}

// policy is how so many ranks are placed on cores that are the job's own, or are not. A share of the cores is for
// programs with threads: on one core these would be slow, and their user would not know why.
func (b Binding) policy(ranks, cpus, cores int, own bool) place.Policy {
	p := place.Policy{Map: place.Level(b.By), Bind: place.Level(b.To), CPUs: max(b.CPUs, 1), Each: b.Each}
	if b.To != bindAuto {
		return p
	}
	switch {
	case b.By != "":
		p.Bind = p.Map
	case b.CPUs > 0 && (own || !b.Allotted):
		p.Bind = place.Core
	case own && ranks <= cpus:
		p.Bind, p.CPUs = place.Core, max(1, cores/ranks)
	default:
		p.Bind = place.None
	}
	return p
}

// Domains returns the CPUs that a job may use here by their domains, in the order in which ranks get them. ParseBinding
// knows the kinds.
func Domains(kind string) ([][]int, error) {
	s, err := newSeats()
	if err != nil {
		return nil, err
	}
	return place.Domains(s.machine.Of(s.cpus), domainNames[kind]), nil
}

// allowedCPUs returns the CPUs this job may use.
func allowedCPUs() ([]int, error) {
	cpus, err := sys.Affinity()
	if err != nil {
		return nil, fmt.Errorf("launcher: CPUs of the job: %w", err)
	}
	return cpus, nil
}
