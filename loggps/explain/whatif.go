package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// ofLogGOPS are the parameters of LogGOPS that those of loggps.Names are there.
var ofLogGOPS = [loggps.NumValues]string{"L", "o", "O", "O", "O", "O", "G", "G", "g"}

// scaled returns the options with one parameter of a link times a factor. What is one parameter of LogGOPS stays one.
func scaled(opt sim.Options, link, param int, factor float64) sim.Options {
	v := opt.Machine.Links[link].Params.Values()
	for i := range v {
		if i == param || opt.Mode == sim.LogGOPS && ofLogGOPS[i] == ofLogGOPS[param] {
			v[i] *= factor
		}
	}
	return with(opt, func(l int, p *loggps.Params) {
		if l == link {
			*p = p.With(v)
		}
	})
}

// with returns the options with other parameters; those given stay as they are.
func with(opt sim.Options, change func(link int, p *loggps.Params)) sim.Options {
	opt.Machine.Links = slices.Clone(opt.Machine.Links)
	for i := range opt.Machine.Links {
		change(i, &opt.Machine.Links[i].Params)
	}
	return opt
}

// timeOf simulates without recording.
func timeOf(g *graph.Graph, opt sim.Options) (float64, error) {
	opt.Record = false
	r, err := sim.Run(g, opt)
	if err != nil {
		return 0, err
	}
	return r.Time(), nil
}

// check reports a parameter that the options do not have.
func check(opt sim.Options, link, param int) error {
	if link < 0 || link >= len(opt.Machine.Links) || param < 0 || param >= loggps.NumValues {
		return fmt.Errorf("explain: parameter %d of link %d: there are %d links with %d parameters each",
			param, link, len(opt.Machine.Links), loggps.NumValues)
	}
	return nil
}

// maxFactor is the largest factor that Tolerance tries.
const maxFactor = 1 << 20

// Tolerance is the factor by which a parameter may grow until the program is slower by a
// share of its time, such as 0.01; +Inf if even a factor of 2^20 does not matter so much. It is
// found by bisection, to a thousandth; where the time falls as the parameter grows it is
// one of the factors where the bound is crossed.
func Tolerance(g *graph.Graph, opt sim.Options, link, param int, share float64) (float64, error) {
	if err := check(opt, link, param); err != nil {
		return 0, err
	}
	now, err := timeOf(g, opt)
	if err != nil {
		return 0, err
	}
	slower := func(factor float64) bool {
		var t float64
		if err == nil {
			t, err = timeOf(g, scaled(opt, link, param, factor))
		}
		return t > now*(1+share)
	}
	low, high := 1.0, 2.0
	for ; !slower(high); low, high = high, 2*high {
		if high >= maxFactor || err != nil {
			return math.Inf(1), err
		}
	}
	for high/low > 1.0005 {
		if mid := math.Sqrt(low * high); slower(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return low, err
}

// A Limit is what a program would take with another eager limit.
type Limit struct {
	S        int64
	Time     float64
	SendWait float64 // of all ranks together
}

// maxLimits is how many eager limits Limits tries.
const maxLimits = 24

// Limits simulates the program with other eager limits, on all links: that which they have now, and the sizes of its
// messages between that and the largest one. They are thinned out if there are many, and in rising order.
func Limits(g *graph.Graph, opt sim.Options, largest int64) ([]Limit, error) {
	opt.Record = false
	least := int64(math.MaxInt64)
	for _, l := range opt.Machine.Links {
		least = min(least, l.Params.Sync)
	}
	var limits []Limit
	for _, s := range thin(append(sizesBetween(g, least, largest), least)) {
		r, err := sim.Run(g, with(opt, func(_ int, p *loggps.Params) { p.Sync = max(p.Sync, s) }))
		if err != nil {
			return nil, err
		}
		limits = append(limits, Limit{s, r.Time(), r.Total()[sim.SendWait]})
	}
	return limits, nil
}

// sizesBetween are the sizes of messages above a limit, and up to another one, without repetition.
func sizesBetween(g *graph.Graph, limit, largest int64) []int64 {
	seen := map[int64]bool{}
	var sizes []int64
	for id := range graph.ID(g.Len()) {
		if op := g.Op(id); op.Kind.Sends() && op.Size > limit && op.Size <= largest && !seen[op.Size] {
			seen[op.Size] = true
			sizes = append(sizes, op.Size)
		}
	}
	return sizes
}

// thin sorts sizes and keeps at most maxLimits of them, the first and the last among them.
func thin(sizes []int64) []int64 {
	slices.Sort(sizes)
	if len(sizes) <= maxLimits {
		return sizes
	}
	var few []int64
	for i := range maxLimits {
		few = append(few, sizes[i*(len(sizes)-1)/(maxLimits-1)])
	}
	return few
}
