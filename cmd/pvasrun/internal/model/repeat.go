package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/lab/median"
)

// repeat measures and fits again and again, as often as there is time for, and prints how far the results lie
// apart. An error ends it with those that were made.
func (f *fitFlags) repeat(ctx context.Context) error {
	var fits [][]fitted
	err := whileTime(time.Duration(f.MaxSeconds), f.Repeat, func(share time.Duration) error {
		all, err := f.measure(ctx, share)
		if err == nil {
			fits = append(fits, all)
		}
		return err
	})
	if n := len(fits); err == nil && n < f.Repeat {
		fmt.Fprintf(os.Stderr, "pvasrun: model fit: %d of %d fits: --max-seconds leaves no time for more\n", n,
			f.Repeat)
	}
	return errors.Join(f.tellSpreads(fits), err)
}

// whileTime calls a function n times, or less often: not again once limit is over. It tells each call how long to
// take: an equal share of the time that is left. A part of a call takes its time whatever the share is. So what the
// call before took beyond its share is taken off the next one's.
func whileTime(limit time.Duration, n int, call func(share time.Duration) error) error {
	start, beyond := time.Now(), time.Duration(0)
	for i := range n {
		begin := time.Now()
		left := limit - begin.Sub(start)
		if i > 0 && left <= 0 {
			return nil
		}
		share := max(left/time.Duration(n-i)-beyond, leastFit)
		if err := call(share); err != nil {
			return err
		}
		beyond = max(time.Since(begin)-share, 0)
	}
	return nil
}

// leastFit is what a fit is told at least. It then takes what it cannot leave out.
const leastFit = time.Millisecond

// tellSpreads prints how far fits lie apart, for each of what they are of.
func (f *fitFlags) tellSpreads(fits [][]fitted) error {
	if len(fits) == 0 {
		return nil
	}
	for i := range fits[0] {
		var same []fitted
		for _, all := range fits {
			same = append(same, all[i])
		}
		s := spreadOf(same)
		if f.JSON {
			if err := json.NewEncoder(os.Stdout).Encode(s); err != nil {
				return err
			}
		} else if err := s.print(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// A FitSpread is what several fits of the same ranks say.
type FitSpread struct {
	Who        string         `json:"who"`
	Fits       int            `json:"fits"`
	EagerLimit int64          `json:"eager_limit,omitempty"` // of the ranks, within a node
	Sync       []int64        `json:"S"`                     // that the fits found
	R2         [3]float64     `json:"r2"`                    // least, median, most
	Parameters []fitParameter `json:"parameters"`
	Distance   float64        `json:"distance_ns,omitempty"` // of all fits: see loggps.Link
}

type fitParameter struct {
	Name       string  `json:"name"`
	Low        float64 `json:"low"`
	Median     float64 `json:"median"`
	High       float64 `json:"high"`
	Determined int     `json:"determined"` // in so many fits
}

func spreadOf(fits []fitted) FitSpread {
	first := fits[0]
	s := FitSpread{Who: first.who, Fits: len(fits), EagerLimit: first.eager, Distance: first.placed.Used}
	var r2 []float64
	for _, r := range fits {
		s.Sync, r2 = append(s.Sync, r.Params.Sync), append(r2, r.R2)
	}
	s.R2 = [3]float64{slices.Min(r2), median.Of(r2), slices.Max(r2)}
	for i, e := range fits[0].Estimates {
		p := fitParameter{Name: e.Name}
		var values []float64
		for _, r := range fits {
			values = append(values, r.Params.Values()[i])
			if r.Estimates[i].Determined {
				p.Determined++
			}
		}
		p.Low, p.Median, p.High = slices.Min(values), median.Of(values), slices.Max(values)
		s.Parameters = append(s.Parameters, p)
	}
	return s
}

// found is how many fits found S to be the eager limit.
func (s *FitSpread) found() (n int) {
	for _, sync := range s.Sync {
		if sync == s.EagerLimit {
			n++
		}
	}
	return n
}

func (s *FitSpread) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, %d fits\n%-4s %12s %12s %12s %8s  determined\n", s.Who, s.Fits, "", "low",
		"median", "high", "spread")
	for _, p := range s.Parameters {
		fmt.Fprintf(&b, "%-4s %12.4g %12.4g %12.4g %8s  %d of %d\n", p.Name, p.Low, p.Median, p.High,
			p.spread(), p.Determined, s.Fits)
	}
	switch found := s.found(); {
	case s.EagerLimit == 0:
		fmt.Fprintf(&b, "S: %v", s.Sync)
	case found < s.Fits:
		fmt.Fprintf(&b, "S is the eager limit, %d, in %d of %d: %v", s.EagerLimit, found, s.Fits, s.Sync)
	default:
		fmt.Fprintf(&b, "S is the eager limit, %d, in %d of %[2]d", s.EagerLimit, found)
	}
	fmt.Fprintf(&b, "\nR2 %.4f to %.4f, median %.4f\n", s.R2[0], s.R2[2], s.R2[1])
	b.WriteString(sayDistances(costs.Distances{Used: s.Distance}) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// spread is how far the fits are from their median at most, in percent.
func (p *fitParameter) spread() string {
	if p.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*math.Max(p.High-p.Median, p.Median-p.Low)/p.Median)
}
