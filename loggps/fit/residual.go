package fit

import (
	"slices"

	"github.com/gopvas/gopvas/internal/median"
	"github.com/gopvas/gopvas/loggps"
)

// Residual is what samples say beyond the lines of the result, nil if they say nothing: for each
// size, of which all three times were measured, the parts of a round trip without a loop.
//
//   - The time of a send is T1, or that of a rendezvous T4 + T5 + T1'.
//   - A round trip behind a long loop, less that loop, is T1 + T3. What is left is T2. If the
//     sum is too large, the loop was too short, and all that is left is T3.
//   - Of a rendezvous the loop hides T2' + T3', which is what the round trip takes besides its
//     sends, and the flight of the request.
func (r *Result) Residual(samples []Sample) *loggps.Residual {
	trips := tripsOf(samples)
	if len(trips) == 0 {
		return nil
	}
	p := r.Params
	p.Residual = nil
	rest := &loggps.Residual{Sync: p.Sync}
	rest.Control, rest.Latency = control(p, trips)
	rest.Call = call(p, samples)
	known := p
	known.Residual = rest // T4 and T5 as they are
	for _, t := range trips {
		rest.Points = append(rest.Points, t.point(p, known.T4(0)+known.T5()))
	}
	return rest
}

// trip is what was measured of a size: lower quartiles in ns.
type trip struct {
	bytes int64
	half  float64 // of a round trip without a loop
	send  float64
	loop  float64 // a round trip with a loop, less the loop; 0: not measured
}

// tripsOf returns what was measured, in order of size. Sizes without sends or round trips are left
// out.
func tripsOf(samples []Sample) []trip {
	var all []trip
	for _, c := range cellsOf(samples, lowQuartile) { // in order of size
		if c.Kind == Call {
			continue
		}
		if len(all) == 0 || all[len(all)-1].bytes != c.Bytes {
			all = append(all, trip{bytes: c.Bytes})
		}
		t := &all[len(all)-1]
		switch {
		case c.Kind == Send:
			t.send = c.Time - c.Loop
		case c.Loop == 0:
			t.half = c.Time / 2
		case c.Time > c.Loop:
			t.loop = c.Time - c.Loop
		}
	}
	return slices.DeleteFunc(all, func(t trip) bool { return !(t.half > 0 && t.send > 0) })
}

// control returns what the requests and acknowledgements of rendezvous take beyond o' and L. All of
// them together take half of a send at most, or of a message.
func control(p loggps.Params, trips []trip) (overhead, latency float64) {
	var flights []float64
	least := 0.0
	for _, t := range trips {
		if p.Eager(t.bytes) {
			continue
		}
		if short := min(t.send, t.half); least == 0 || short < least {
			least = short
		}
		if t.loop > 0 {
			flights = append(flights, max(t.send+t.half-t.loop, 0))
		}
	}
	if len(flights) == 0 {
		return 0, 0
	}
	flight := median.Of(flights)
	l := min(p.L, flight)
	o := flight - l
	if all := 4*o + 2*l; all > least/2 {
		o, l = o*least/2/all, l*least/2/all
	}
	return o - p.O, l - p.L
}

// call returns what a call that moves nothing takes beyond o'.
func call(p loggps.Params, samples []Sample) float64 {
	var times []float64
	for _, s := range samples {
		if s.Kind == Call {
			times = append(times, s.Time)
		}
	}
	if len(times) == 0 {
		return 0
	}
	return lowQuartile(times) - p.O
}

// point returns what the size takes beyond the lines. handshake is T4 + T5.
func (t *trip) point(p loggps.Params, handshake float64) loggps.ResidualPoint {
	at := loggps.ResidualPoint{Bytes: t.bytes}
	k := float64(t.bytes)
	if p.Eager(t.bytes) {
		t1 := min(t.send, t.half)
		t3 := t.half - t1
		if t.loop > 0 {
			t3 = min(max(t.loop-t1, 0), t3)
		}
		at.Send, at.Recv, at.Transit = t1-p.T1(k), t3-p.T3(k), t.half-t1-t3-p.Transit(t.bytes)
		return at
	}
	t1 := min(t.send, t.half) - handshake
	t2 := min(p.Transit(t.bytes), t.half-handshake-t1)
	at.Send, at.Transit, at.Recv = t1-p.T1Long(k), t2-p.Transit(t.bytes), t.half-handshake-t1-t2-p.T3Long(k)
	return at
}

// lowQuartile is the time that a quarter of the times do not exceed: what others on the machine
// add makes times longer, never shorter.
func lowQuartile(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)-1)/4]
}
