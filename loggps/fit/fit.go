package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/loggps"
)

// An Estimate is what the samples say of a parameter.
type Estimate struct {
	Name       string
	Value      float64
	Low, High  float64 // the ends of the 95 % confidence interval
	Determined bool    // the interval is no wider than wide allows
}

// Bounded tells whether the samples say anything of the parameter.
func (e *Estimate) Bounded() bool { return !math.IsInf(e.High, 0) }

// wide is how wide the interval of a parameter may be, to either side and as a share of
// its value, for it to count as determined: 2 %, or as far as single samples scatter.
func wide(noise float64) float64 { return max(0.02, noise) }

// A Break is a size at which the protocol switches. S is at least At and less than Next,
// the next size that was measured: the time jumps somewhere between. s is about At, where
// the lines of both sides meet. If no switch was seen, Found is false: At is then the
// largest size measured, or for s where S is.
type Break struct {
	At, Next int64
	Found    bool
}

// A Result is the parameters of a link. Those that are not determined have their best
// value, or 0, in Params.
type Result struct {
	Params        loggps.Params
	Estimates     []Estimate // in the order of loggps.Names, without g
	Packet, Sync  Break      // s and S
	R2            float64    // of all samples used, relative
	Noise         float64    // the standard deviation of the residuals, relative
	Used, Removed int        // samples
}

// NotDetermined are the names of the parameters that the samples do not determine.
func (r *Result) NotDetermined() []string {
	var names []string
	for _, e := range r.Estimates {
		if !e.Determined {
			names = append(names, e.Name)
		}
	}
	return names
}

// Link returns the result as a link, with its intervals.
func (r *Result) Link(name, source string) loggps.Link {
	l := loggps.Link{Name: name, Source: source, Params: r.Params, NotDetermined: r.NotDetermined(),
		Interval: map[string][2]float64{}}
	for _, e := range r.Estimates {
		if e.Bounded() {
			l.Interval[e.Name] = [2]float64{e.Low, e.High}
		}
	}
	return l
}

// ErrTooFew says that there are not enough samples for any fit.
var ErrTooFew = errors.New("fit: too few samples; measure round trips of at least four sizes without a loop, and " +
	"with one that is longer than the round trip")

// Fit finds the parameters.
func Fit(samples []Sample) (*Result, error) { return fit(samples, -1) }

// FitSync finds the parameters where S is known.
func FitSync(samples []Sample, sync int64) (*Result, error) {
	r, err := fit(samples, max(sync, 0))
	if err != nil {
		return nil, err
	}
	r.Sync, r.Params.Sync = Break{At: sync, Next: sync + 1, Found: true}, sync
	return r, nil
}

// fit finds the parameters; S is found too if sync is below 0.
func fit(samples []Sample, sync int64) (*Result, error) {
	for i, s := range samples {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("fit: sample %d: %w", i, err)
		}
	}
	samples = slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.Kind == Exchange })
	cells := medians(samples)
	if err := enough(cells); err != nil {
		return nil, err
	}
	covered := slower(cells)
	begin := findBreaks(cells, covered, sync)
	if begin == nil {
		return nil, fmt.Errorf("fit: S = %d: measure two sizes at least on either side of it", sync)
	}
	final, used := begin.robust(samples, cells, covered)
	if final.n <= final.rank || !(final.rss >= 0) {
		return nil, fmt.Errorf("%w (the %d samples do not follow equations (12) to (14))", ErrTooFew, len(samples))
	}
	return final.result(samples, used), nil
}

func enough(cells []Sample) error {
	var without, with int
	for _, c := range cells {
		switch {
		case c.Kind == RoundTrip && c.Loop == 0:
			without++
		case c.Kind == RoundTrip:
			with++
		}
	}
	if without < 4 || with < 4 {
		return fmt.Errorf("%w (there are %d and %d)", ErrTooFew, without, with)
	}
	return nil
}

// A model is a choice of s and S, and the fit for it.
type model struct {
	solution
	packet, sync int64
	sizes        []int64 // that were measured
	seenS, seens bool    // the switches are within the sizes
	low, high    float64 // where s may be
	n            int     // rows
	sys          system  // of the last improvement
}

// params returns the fitted parameters, of which none is below 0.
func (m *model) params() loggps.Params {
	x := m.x
	if slices.Min(x[:parameters]) < 0 {
		x = m.sys.solvePositive()
	}
	var v [loggps.NumValues]float64
	for i, x := range x[:parameters] {
		v[i] = max(x, 0)
	}
	return loggps.Params{Packet: m.packet, Sync: m.sync}.With(v)
}

// dot is the time that factors make with the fitted parameters.
func (m *model) dot(f vector) float64 {
	sum := 0.0
	for i, x := range m.x[:parameters] {
		sum += f[i] * x
	}
	return sum
}

// predict is the time of a sample by the fit.
func (m *model) predict(s Sample, covered bool) float64 {
	f, constant := s.factors(loggps.Params{Packet: m.packet, Sync: m.sync}, covered)
	return constant + m.dot(f)
}

// improve solves for the parameters and for a better s, which moves at most to where
// others were measured. Residuals are relative to the fit so far: relative to the measured
// times, those that came out short would count for more.
func (m *model) improve(samples []Sample, covered func(Sample) bool) {
	var sys system
	before := *m
	p := loggps.Params{Packet: m.packet, Sync: m.sync}
	next := loggps.Params{Packet: m.packet + 1, Sync: m.sync}
	for _, s := range samples {
		f, constant := s.factors(p, covered(s))
		fitted := before.dot(f)
		if m.seens { // how much longer it takes if s is one byte larger
			further, _ := s.factors(next, covered(s))
			f[parameters] = before.dot(further) - fitted
		}
		sys.add(f, s.Time-constant, constant+fitted)
	}
	m.solution, m.n = sys.solve(), len(samples)
	m.sys = sys
	if m.seens && m.known[parameters] {
		s := float64(m.packet) + math.Round(m.x[parameters])
		m.packet = int64(min(max(s, m.low), m.high))
	}
}

// robust fits all samples but those far from the fit, beginning with that of the medians.
// It also finds out which loops were longer than the round trip.
func (m *model) robust(samples, cells []Sample, covered func(Sample) bool) (*model, []Sample) {
	for range 3 {
		m.improve(cells, covered)
	}
	used := samples
	for range 4 {
		p := m.params()
		covered = func(s Sample) bool { return s.covers(p) }
		used = m.near(samples, covered)
		m.improve(used, covered)
	}
	return m, used
}

func (m *model) result(samples, used []Sample) *Result {
	freedom := max(m.n-m.rank, 1)
	r := &Result{
		Params: m.params(), Used: len(used), Removed: len(samples) - len(used),
		Noise:  math.Sqrt(m.rss / float64(freedom)),
		R2:     1 - m.rss/spread(used),
		Packet: m.breakAt(m.packet, m.seens), Sync: m.breakAt(m.sync, m.seenS),
	}
	halves := m.halves(used)
	for i, x := range m.x[:parameters] {
		half := halves[i]
		e := Estimate{Name: loggps.Names[i], Value: x, Low: x - half, High: x + half}
		if !m.known[i] {
			e.Value, e.Low, e.High = 0, math.Inf(-1), math.Inf(1)
		}
		e.Determined = m.known[i] && half <= wide(r.Noise)*x
		r.Estimates = append(r.Estimates, e)
	}
	return r
}

func (m *model) breakAt(at int64, found bool) Break {
	b := Break{At: at, Next: math.MaxInt64, Found: found}
	if i, _ := slices.BinarySearch(m.sizes, at+1); i < len(m.sizes) {
		b.Next = m.sizes[i]
	}
	return b
}

// spread is the sum of squared relative distances of times from their mean.
func spread(samples []Sample) float64 {
	var sum, weights, total float64
	for _, s := range samples {
		w := 1 / (s.Time * s.Time)
		sum, weights = sum+w*s.Time, weights+w
	}
	mean := sum / weights
	for _, s := range samples {
		d := (s.Time - mean) / s.Time
		total += d * d
	}
	return total
}

// String is a table of the result.
func (r *Result) String() string {
	var b strings.Builder
	values := r.Params.Values()
	for i, e := range r.Estimates {
		if e.Determined {
			fmt.Fprintf(&b, "%-4s %12.4g  [%.4g, %.4g]\n", e.Name, e.Value, e.Low, e.High)
		} else {
			fmt.Fprintf(&b, "%-4s not determined  [%.4g, %.4g]; %.4g is used\n", e.Name, e.Low, e.High, values[i])
		}
	}
	if r.Packet.Found {
		fmt.Fprintf(&b, "s    %12d  or about\n", r.Packet.At)
	} else {
		fmt.Fprintf(&b, "s    no switch seen; %d is used\n", r.Packet.At)
	}
	if r.Sync.Found {
		fmt.Fprintf(&b, "S    %12d  to %d\n", r.Sync.At, r.Sync.Next-1)
	} else {
		fmt.Fprintf(&b, "S    no switch seen; %d is used\n", r.Sync.At)
	}
	fmt.Fprintf(&b, "R2 %.6f, noise %.2g %%, %d samples used, %d removed\n", r.R2, 100*r.Noise, r.Used, r.Removed)
	return b.String()
}
