package show

import (
	"fmt"
	"math"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/explain"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

const (
	slower    = 0.01 // the tolerance is how much a parameter may grow until the time has, by this share
	exactWork = 4e6  // events of all simulations of a table, beyond which it is estimated or left out
)

// Explain says in tables why a prediction takes its time. Eager limits can be had up to largest.
func (p *Prediction) Explain(g *graph.Graph, opt sim.Options, largest int64) ([]Table, error) {
	var tables []Table
	if p.Path != nil {
		shares, err := p.shares(g, opt)
		if err != nil {
			return nil, err
		}
		tables = append(tables, shares)
	}
	limits, err := p.limits(g, opt, largest)
	if err != nil || limits == nil {
		return tables, err
	}
	return append(tables, *limits), nil
}

// shares are what the critical path is made of.
func (p *Prediction) shares(g *graph.Graph, opt sim.Options) (Table, error) {
	t := Table{
		Title: "What the time is made of",
		Note: fmt.Sprintf(
			"Along the critical path, which ends with rank %d. Times on it: how much longer the program takes for "+
				"each nanosecond (or nanosecond per byte) more. May grow: by which factor until the "+
				"program is 1 %% slower.", p.Path.Rank),
		Columns: []string{"parameter", "times on it", "time", "share", "may grow"},
	}
	for _, s := range p.Path.Shares(p.Result.Links()) {
		if s.Link >= len(opt.Machine.Links) {
			continue // of messages that cost nothing
		}
		name, slope, grow := s.Name, "", ""
		if s.Link >= 0 {
			if len(opt.Machine.Links) > 1 {
				name += ", " + opt.Machine.Links[s.Link].Name
			}
			slope = fmt.Sprintf("%.6g", s.Slope)
			factor, exact, err := p.tolerance(g, opt, s)
			if err != nil {
				return t, err
			}
			grow = sayFactor(factor, exact)
		}
		if s.Time > 0 || s.Link < 0 {
			t.Rows = append(t.Rows, []string{name, slope, Time(s.Time), percent(s.Time, p.Path.Time), grow})
		}
	}
	return t, nil
}

func sayFactor(factor float64, exact bool) string {
	switch {
	case math.IsInf(factor, 0):
		return "any"
	case exact:
		return fmt.Sprintf("%.4g x", factor)
	}
	return fmt.Sprintf("at most %.4g x", factor)
}

// tolerance simulates, or for a large program goes by the slope. Another path can only make
// the time grow faster.
func (p *Prediction) tolerance(g *graph.Graph, opt sim.Options,
	s explain.Share) (factor float64, exact bool, err error) {
	const simulations = 30
	if float64(p.Result.Events)*simulations > exactWork {
		return 1 + slower*p.Path.Time/s.Time, false, nil
	}
	param := 0
	for i, name := range loggps.Names {
		if name == s.Name {
			param = i
		}
	}
	factor, err = explain.Tolerance(g, opt, s.Link, param, slower)
	return factor, true, err
}

// limits are what the program would take with other eager limits; nil if no message is longer
// than the present one and not too long for any, or the program is too large to try.
func (p *Prediction) limits(g *graph.Graph, opt sim.Options, largest int64) (*Table, error) {
	const simulations = 24
	if float64(p.Result.Events)*simulations > 10*exactWork || opt.Synchronous || opt.Mode == sim.LogGOPS {
		return nil, nil
	}
	list, err := explain.Limits(g, opt, largest)
	if err != nil || len(list) < 2 {
		return nil, err
	}
	t := &Table{
		Title:   "With another eager limit",
		Note:    "What the program would take if messages of up to S bytes were sent without waiting for the receiver.",
		Columns: []string{"S", "time", "change", "send wait of all ranks"},
	}
	for _, l := range list {
		t.Rows = append(t.Rows,
			[]string{fmt.Sprint(l.S), Time(l.Time),
				fmt.Sprintf("%+.1f %%", 100*(l.Time/list[0].Time-1)), Time(l.SendWait)})
	}
	return t, nil
}

func percent(part, whole float64) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}
