package fit

import (
	"maps"
	"math"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/median"
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
//   - An exchange takes a nonblocking call longer than half of a round trip. For the shortest messages that
//     call is all. What exchanges of longer ones take besides is the crossing.
func (r *Result) Residual(samples []Sample) *loggps.Residual {
	trips := tripsOf(samples)
	if len(trips) == 0 {
		return nil
	}
	p := r.Params
	p.Residual = nil
	rest := &loggps.Residual{Sync: p.Sync}
	rest.Control, rest.Latency = control(p, trips)
	call := math.Inf(1) // without exchanges nothing is known of crossings
	if i := slices.IndexFunc(trips, func(t trip) bool { return t.exchange > 0 }); i >= 0 {
		call = max(trips[i].exchange-trips[i].half, leastCall)
		rest.Call = call - p.O
	}
	known := p
	known.Residual = rest // T4 and T5 as they are
	for _, t := range trips {
		at := t.point(p, known.T4(0)+known.T5())
		at.Crossing = max(t.exchange-t.half-call, 0)
		rest.Points = append(rest.Points, at)
	}
	return rest
}

// leastCall is what a call takes at least, ns.
const leastCall = 1.0

// trip is what was measured of a size: lower quartiles in ns.
type trip struct {
	bytes    int64
	half     float64 // of a round trip without a loop
	send     float64
	loop     float64 // a round trip with a loop, less the loop; 0: not measured
	exchange float64 // 0: not measured
}

// tripsOf returns what was measured, in order of size. Sizes without sends or round trips are left
// out.
func tripsOf(samples []Sample) []trip {
	type times struct{ half, send, loop, exchange []float64 }
	sizes := map[int64]*times{}
	for _, s := range samples {
		t := sizes[s.Bytes]
		if t == nil {
			t = &times{}
			sizes[s.Bytes] = t
		}
		switch {
		case s.Kind == Exchange:
			t.exchange = append(t.exchange, s.Time)
		case s.Kind == Send:
			t.send = append(t.send, s.Time-s.Loop)
		case s.Loop == 0:
			t.half = append(t.half, s.Time/2)
		default:
			t.loop = append(t.loop, s.Time-s.Loop)
		}
	}
	var all []trip
	for _, bytes := range slices.Sorted(maps.Keys(sizes)) {
		t := sizes[bytes]
		one := trip{bytes, typical(t.half), typical(t.send), typical(t.loop), typical(t.exchange)}
		if one.half > 0 && one.send > 0 {
			all = append(all, one)
		}
	}
	return all
}

// typical is the time that a quarter of the times do not exceed: what others on the machine add makes times longer,
// never shorter. It is 0 if there are none, or if it is below 0.
func typical(times []float64) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return max(times[(len(times)-1)/4], 0)
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
