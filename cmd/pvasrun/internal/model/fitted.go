package model

import (
	"cmp"
	"fmt"
	"io"

	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/fit"
)

// A fitted is what was found for a task model and a state of caches.
type fitted struct {
	who     string // "" for --from
	samples []fit.Sample
	placed  costs.Distances
	limit   int64     // as sought with late receivers; -1: not known
	lines   fit.Break // where the lines jump, if S is the limit
	eager   int64     // the eager limit of the ranks; 0: not known
	calls   replay.Recording
	whole   []loggps.Operation
	network *fitted // of the same ranks; nil: not measured, or this is one
	*fit.Result
}

// fitTrips fits what was measured. S is what a late receiver shows, if it does; where the
// lines jump is found besides.
func fitTrips(got *costs.RoundTrips) (r fitted, err error) {
	r = fitted{samples: got.Samples, limit: got.EagerLimit}
	r.Result, err = fit.Fit(got.Samples)
	if err == nil && r.limit >= 0 {
		r.lines = r.Result.Sync
		r.Result, err = fit.FitSync(got.Samples, r.limit)
	}
	if err == nil {
		r.Params.Residual = r.Residual(got.Samples)
	}
	return r, err
}

func (r *fitted) machine(source string) loggps.Machine {
	link := r.Link(cmp.Or(r.who, "link"), source)
	link.Distance = r.placed.Used
	m := loggps.Machine{Links: []loggps.Link{link}, Recording: r.calls, Operations: r.whole}
	if r.network != nil {
		m.Links = append(m.Links, r.network.Link(r.network.who, source))
	}
	return m
}

func (r *fitted) print(w io.Writer) error {
	head := ""
	if r.who != "" {
		head = "# " + r.who + "\n"
	}
	late := ""
	if r.limit >= 0 {
		late = fmt.Sprintf("S is what a late receiver shows; by the lines alone it is %s\n", sayBreak(r.lines))
	}
	_, err := fmt.Fprintf(w, "%s%s%s%s\n", head, r.Result, late, sayDistances(r.placed))
	return err
}

func sayBreak(b fit.Break) string {
	if !b.Found {
		return "not seen"
	}
	return fmt.Sprintf("%d to %d", b.At, b.Next-1)
}

// sayDistances tells at which distance the times were measured.
func sayDistances(d costs.Distances) string {
	if d.Used == 0 {
		return ""
	}
	text := fmt.Sprintf("a cache line mostly took %.0f ns between the CPUs and back", d.Used)
	if n := d.Elsewhere(); n > 0 {
		text += fmt.Sprintf(
			"; in %d of %d jobs it took another time: the host moves the CPUs of this machine, and times at other "+
				"distances are left out where there are enough", n, len(d.Seen))
	}
	return text + "\n"
}
