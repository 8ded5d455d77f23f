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
	Rank  int // that is done last
	Time  float64
	Steps []sim.Step
	// Slopes are, by link, the derivatives of the time by its parameters, in the order of
	// loggps.Names: how often they stand on the path.
	Slopes []loggps.Terms
	// Compute is the computation on the path, ns; Residual what is added to the parameters.
	Compute, Residual float64
}

// CriticalPath finds the path that leads to the end of the program. The simulation must
// have recorded.
func CriticalPath(r *sim.Result) (*Path, error) {
	p := &Path{Rank: r.Slowest(), Time: r.Time(), Slopes: make([]loggps.Terms, len(r.Links()))}
	var err error
	if p.Steps, err = r.Path(p.Rank); err != nil {
		return nil, err
	}
	for _, s := range p.Steps {
		p.Slopes[s.Link].Add(s.Cost)
		p.Compute += s.Calc
		p.Residual += s.Residual
	}
	return p, nil
}

// A Share is what one parameter, or computation, contributes to the time.
type Share struct {
	Link  int    // -1 for computation and residual
	Name  string // of the parameter, "computation", or "residual"
	Slope float64
	Time  float64 // slope times parameter, ns
}

// Shares returns the contributions, the largest first. They add up to the time.
func (p *Path) Shares(links []loggps.Params) []Share {
	shares := []Share{{Link: -1, Name: "computation", Slope: 1, Time: p.Compute}}
	if p.Residual != 0 {
		shares = append(shares, Share{Link: -1, Name: "residual", Slope: 1, Time: p.Residual})
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

// A Site is a place in the program and how long CPUs were idle because of it.
type Site struct {
	Place  string // of its first operation
	Op     graph.ID
	Count  int
	Waited float64 // ns
}

// Waits returns the places that cost waiting, the most expensive first. Operations with
// the same Site are one place; those without are places of their own. The simulation must
// have recorded.
func Waits(r *sim.Result) ([]Site, error) {
	if !r.Recorded() {
		return nil, sim.ErrNotRecorded
	}
	g, bySite := r.Graph(), map[uint32]int{}
	var sites []Site
	for id := range graph.ID(g.Len()) {
		waited := r.Waited(id)
		if waited == 0 {
			continue
		}
		site := g.Op(id).Site
		i, ok := bySite[site]
		if !ok || site == 0 {
			i = len(sites)
			bySite[site] = i
			sites = append(sites, Site{Place: g.Place(id), Op: id})
		}
		sites[i].Count++
		sites[i].Waited += waited
	}
	slices.SortStableFunc(sites, func(a, b Site) int { return cmp.Compare(b.Waited, a.Waited) })
	return sites, nil
}
