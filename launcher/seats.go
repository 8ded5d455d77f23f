package launcher

import (
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher/internal/place"
)

// seats are where the ranks of this node run, as has been decided before the first of a world starts.
type seats struct {
	cpus    []int // that the job may use
	atOnce  int   // how many of them at a time: see limits.CPUs
	machine *topology.Machine
	own     string  // why the CPUs are the job's own; "": they are not
	sets    [][]int // CPUs of each rank of this node; nil: it is not bound
}

func newSeats() (s seats, err error) {
	if s.cpus, err = allowedCPUs(); err != nil {
		return s, err
	}
	s.atOnce = limits.CPUs(len(s.cpus))
	s.machine = topology.Here(s.cpus)
	s.own = s.machine.Own(os.DirFS("/"), os.Getenv, s.cpus)
	return s, nil
}

// add decides for n ranks more. Those that are there keep their places.
func (s *seats) add(b Binding, n int) {
	first := len(s.sets)
	if n == 0 {
		return
	}
	if b.Sets != nil {
		for i := range n {
			s.sets = append(s.sets, b.Sets[i%len(b.Sets)])
		}
		return
	}
	cpus := s.machine.Of(s.cpus)
	policy := b.policy(first+n, len(cpus), len(place.Domains(cpus, place.Core)), s.own != "")
	s.sets = append(s.sets, place.Ranks(cpus, policy, first+n)[first:]...)
}

// of returns the CPUs that a rank may run on, bound or not.
func (s *seats) of(set []int) []int {
	if set == nil {
		return s.cpus
	}
	return set
}

// domain returns the domains that a set of CPUs lies in as a whole, and no NUMA node if there is one only.
func (s *seats) domain(set []int) (d job.Domain) {
	for i, c := range s.machine.Of(set) {
		if i == 0 {
			d = job.Domain{L3: c.L3, NUMA: c.Node}
			continue
		}
		if c.L3 != d.L3 {
			d.L3 = topology.Unknown
		}
		if c.Node != d.NUMA {
			d.NUMA = topology.Unknown
		}
	}
	if len(s.machine.Nodes) < 2 {
		d.NUMA = topology.Unknown
	}
	return d
}

// enough returns how many CPUs the ranks with these sets have, as far as it matters to them. It returns fewer than
// there are ranks if some of them must share a CPU, whatever the others have.
func (s *seats) enough(sets [][]int) int {
	load := map[int]float64{}
	free := 0
	for _, set := range sets {
		if set == nil {
			free++
			continue
		}
		for _, cpu := range set {
			load[cpu] += 1 / float64(len(set))
		}
	}
	most := 0.0
	for _, l := range load {
		most = max(most, l)
	}
	if free > 0 {
		most += float64(free) / float64(len(s.cpus))
	}
	const rounding = 1e-6
	if most <= 1+rounding {
		return s.atOnce
	}
	return max(1, min(s.atOnce, int(float64(len(sets))/most+rounding)))
}

// nameDomains says in which domains CPUs are, of the kinds of which the machine has several.
func (s *seats) nameDomains(cpus []int) string {
	var words []string
	for _, kind := range []struct {
		name  string
		field func(topology.CPU) int
	}{
		{"core", func(c topology.CPU) int { return c.Core }},
		{"L3 domain", func(c topology.CPU) int { return c.L3 }},
		{"NUMA node", func(c topology.CPU) int { return c.Node }},
		{"socket", func(c topology.CPU) int { return c.Package }},
	} {
		here, all := numbersOf(s.machine.Of(cpus), kind.field), numbersOf(s.machine.CPUs, kind.field)
		if len(all) > 1 && len(here) > 0 {
			words = append(words, kind.name+" "+topology.FormatList(here))
		}
	}
	if words == nil {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// numbersOf are the domains of a kind that CPUs are in, ascending; those that are not known are left out.
func numbersOf(cpus []topology.CPU, field func(topology.CPU) int) (numbers []int) {
	for _, c := range cpus {
		if n := field(c); n != topology.Unknown {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
