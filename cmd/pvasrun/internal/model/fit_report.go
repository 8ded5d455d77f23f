package model

import "github.com/gopvas/gopvas/loggps/fit"

// FitReport is a fitted as JSON.
type FitReport struct {
	Who        string                 `json:"who,omitempty"`
	Parameters map[string]fitEstimate `json:"parameters"`
	Packet     fitBreak               `json:"s"`
	Sync       fitBreak               `json:"S"`
	Lines      *fitBreak              `json:"S_by_lines,omitempty"` // S is what a late receiver shows
	R2         float64                `json:"r2"`
	Noise      float64                `json:"noise"`
	Used       int                    `json:"samples_used"`
	Removed    int                    `json:"samples_removed"`
	Distance   float64                `json:"distance_ns,omitempty"` // see loggps.Link
}

type fitEstimate struct {
	Value      float64  `json:"value"`
	Low        *float64 `json:"low,omitempty"` // there is none where nothing is known
	High       *float64 `json:"high,omitempty"`
	Determined bool     `json:"determined"`
}

type fitBreak struct {
	At    int64 `json:"at"`
	Next  int64 `json:"below,omitempty"`
	Found bool  `json:"found"`
}

func (r *fitted) report() FitReport {
	out := FitReport{
		Who: r.who, Parameters: map[string]fitEstimate{}, R2: r.R2, Noise: r.Noise, Used: r.Used, Removed: r.Removed,
		Distance: r.placed.Used,
		Packet:   breakReport(r.Packet), Sync: breakReport(r.Sync),
	}
	if r.limit >= 0 {
		lines := breakReport(r.lines)
		out.Lines = &lines
	}
	for _, e := range r.Estimates {
		j := fitEstimate{Value: e.Value, Determined: e.Determined}
		if e.Bounded() {
			j.Low, j.High = &e.Low, &e.High
		}
		out.Parameters[e.Name] = j
	}
	return out
}

func breakReport(b fit.Break) fitBreak {
	r := fitBreak{At: b.At, Found: b.Found}
	if b.Found {
		r.Next = b.Next
	}
	return r
}
