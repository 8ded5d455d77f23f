package explain

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// A Path is the critical path of a program and what it is made of.
type Path struct {
	Rank int // that is done last
	Time float64
	// Slopes are, by link, the derivatives of the time by its parameters, in the order of
	// loggps.Names: how often they stand on the path.
	Slopes []loggps.Terms
	// Compute is the computation on the path, ns; Calls that within calls (graph.InCall); Residual what is added to
	// the parameters.
	Compute, Calls, Residual float64
}

// CriticalPath finds the path that leads to the end of the program. The simulation must
// have recorded.
func CriticalPath(r *sim.Result) (*Path, error) {
	p := &Path{Rank: r.Slowest(), Time: r.Time(), Slopes: make([]loggps.Terms, len(r.Links()))}
	err := r.Back(p.Rank, func(s *sim.Step) {
		p.Slopes[s.Link].Add(s.Cost)
		if r.Graph().Op(s.Op).Tag == graph.InCall {
			p.Calls += s.Calc
		} else {
			p.Compute += s.Calc
		}
		p.Residual += s.Residual
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// A Share is what one parameter, or computation, contributes to the time.
type Share struct {
	Link  int    // -1 for what is no parameter
	Name  string // of the parameter, "computation", "calls", or "residual"
	Slope float64
	Time  float64 // slope times parameter, ns
}

// Shares returns the contributions, the largest first. They add up to the time.
func (p *Path) Shares(links []loggps.Params) []Share {
	shares := []Share{{Link: -1, Name: "computation", Slope: 1, Time: p.Compute}}
	for name, ns := range map[string]float64{"calls": p.Calls, "residual": p.Residual} {
		if ns != 0 {
			shares = append(shares, Share{Link: -1, Name: name, Slope: 1, Time: ns})
		}
	}
	for i, terms := range p.Slopes {
		for j, v := range links[i].Values() {
			if terms[j] != 0 {
				shares = append(shares, Share{i, loggps.Names[j], terms[j], terms[j] * v})
			}
		}
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Time, a.Time) })
	return shares
}
