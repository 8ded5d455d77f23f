package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/median"
)

// A key tells what was measured from everything else in an experiment.
type key struct {
	benchmark, setting, contestant string
	ranks, bytes                   int
}

// A sample is all that was measured of one thing: by the name of the value, one number
// for each round.
type sample struct {
	key
	values map[string][]float64
}

// An experiment is all that a file has of one: of the command that was run last.
type experiment struct {
	name, command string
	skipped       string
	failed        map[int]results.Line // by round, of those that have not been repeated
	samples       []*sample            // in the order of the first round
}

// experiments gathers the lines of a file, in the order in which they first stand there.
func experiments(f results.File) (list []*experiment) {
	last := map[string]string{} // command by experiment
	for _, l := range f.Lines {
		last[l.Experiment] = l.Command
	}
	byName := map[string]*experiment{}
	for _, l := range f.Lines {
		if l.Command != last[l.Experiment] {
			continue
		}
		e := byName[l.Experiment]
		if e == nil {
			e = &experiment{name: l.Experiment, command: l.Command, failed: map[int]results.Line{}}
			byName[l.Experiment] = e
			list = append(list, e)
		}
		e.line(l)
	}
	for _, e := range list {
		for _, round := range sortedKeys(e.failed) {
			e.add(e.failed[round].Points) // what it has measured before it failed
		}
	}
	return list
}

func (e *experiment) line(l results.Line) {
	switch {
	case l.Skipped != "":
		e.skipped = l.Skipped
	case l.Failed != "":
		e.failed[l.Round] = l
	default:
		delete(e.failed, l.Round)
		e.add(l.Points)
	}
}

func (e *experiment) add(points []results.Point) {
	for _, p := range points {
		k := key{p.Benchmark, p.Setting, p.Contestant, p.Ranks, p.Bytes}
		i := slices.IndexFunc(e.samples, func(s *sample) bool { return s.key == k })
		if i < 0 {
			i = len(e.samples)
			e.samples = append(e.samples, &sample{k, map[string][]float64{}})
		}
		for name, v := range p.Values {
			e.samples[i].values[name] = append(e.samples[i].values[name], v)
		}
	}
}

// A stat is a median and the range that it comes from.
type stat struct{ low, median, high float64 }

// stat returns that of a value, and whether there is any.
func (s *sample) stat(value string) (stat, bool) {
	v := s.values[value]
	if len(v) == 0 {
		return stat{}, false
	}
	return stat{slices.Min(v), median.Of(v), slices.Max(v)}, true
}

// overlaps tells whether the ranges have a number in common. A single measurement has no
// range: of that nothing is known.
func (s stat) overlaps(o stat) bool {
	return (s.low < s.high || o.low < o.high) && s.low <= o.high && o.low <= s.high
}

// distinct are the different values that of has for samples, in order.
func distinct[T cmp.Ordered](samples []*sample, of func(*sample) T) (list []T) {
	for _, s := range samples {
		list = append(list, of(s))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// firsts are the different strings that of has for samples, in the order of samples.
func firsts(samples []*sample, of func(*sample) string) (list []string) {
	for _, s := range samples {
		if v := of(s); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// only are the samples that match.
func only(samples []*sample, match func(*sample) bool) (list []*sample) {
	for _, s := range samples {
		if match(s) {
			list = append(list, s)
		}
	}
	return list
}

// rounds is how many numbers there are of each thing.
func (e *experiment) rounds() (n int) {
	for _, s := range e.samples {
		for _, v := range s.values {
			n = max(n, len(v))
		}
	}
	return n
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
