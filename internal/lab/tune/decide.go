package tune

import "slices"

// faster says which of two ways is faster at a length.
type faster int

const (
	notTold faster = iota // they are not told apart
	first
	second
)

// A Verdict says what a value is worth.
type Verdict string

// Verdicts.
const (
	Measured    Verdict = "measured"        // better than the default
	DefaultBest Verdict = "default is best" // the lengths on both sides of the default agree with it
	NotTold     Verdict = "not told apart"  // the default stays
	NotMeasured Verdict = "not measured"    // it cannot be, on this machine
)

// compare compares the rounds of two ways.
func compare(a, b []float64) faster {
	switch {
	case len(a) == 0 || len(b) == 0:
		return notTold
	case slices.Max(a) < slices.Min(b):
		return first
	case slices.Max(b) < slices.Min(a):
		return second
	}
	return notTold
}

// join is the answer of several loads: one that all agree with that can tell.
func join(answers []faster) (all faster) {
	for _, f := range answers {
		if all != notTold && f != notTold && f != all {
			return notTold
		}
		if f != notTold {
			all = f
		}
	}
	return all
}

// threshold decides on the number k of lengths that go the first way. It starts from that of the
// default, and moves while the next length is faster by the other way than by its own.
func threshold(p *parameter, found []faster) (value int, v Verdict) {
	standard := slices.Index(p.values, p.standard)
	k := standard
	for k < len(found) && found[k] == first {
		k++
	}
	if k > standard {
		return p.values[k], Measured
	}
	for k > 0 && found[k-1] == second {
		k--
	}
	switch {
	case k < standard:
		return p.values[k], Measured
	case (k == 0 || found[k-1] == first) && (k == len(found) || found[k] == second):
		return p.standard, DefaultBest
	}
	return p.standard, NotTold
}

// upwards decides where the default is no length: the second way is for all lengths from the first
// one on from which it is faster at each. It is for none if the first way is faster at the longest.
func upwards(p *parameter, found []faster) (value int, v Verdict) {
	k := len(found)
	for k > 0 && found[k-1] == second {
		k--
	}
	if k < len(found) || k > 0 && found[k-1] == first {
		return p.values[k], Measured
	}
	return p.standard, NotTold
}

// candidate decides on one of the lengths, which are values, if it is faster than the default.
func candidate(p *parameter, found []faster) (value int, v Verdict) {
	if i := slices.Index(found, second); i >= 0 {
		return p.lengths[i], Measured
	}
	if !slices.Contains(found, notTold) {
		return p.standard, DefaultBest
	}
	return p.standard, NotTold
}
