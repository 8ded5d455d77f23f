package loggps

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Residual is what the lines of the model leave over: an extension that is not in the paper. The
// time of a message is no line in its length. A short message travels inline, a middle one is
// copied once, and a long one does not fit the cache. Without a Residual the equations are those
// of the paper.
//
// What it adds are constants: derivatives by the parameters stay what they are.
type Residual struct {
	// Control and Latency are added to o' and L of a request or an acknowledgement: T4, T5.
	Control float64 `json:"control"`
	Latency float64 `json:"latency"`
	// Call is added to o' of a call that moves nothing: a nonblocking one, or Wait.
	Call float64 `json:"call"`
	// Points are in order of Bytes. Between them lines are drawn, but for S: a message is
	// compared with points on its side of Sync only. Beyond the last one its values count.
	Points []ResidualPoint `json:"points"`
	// Sync is S where the points were measured.
	Sync int64 `json:"S"`
}

// A ResidualPoint is what messages of so many bytes take beside what the lines say, ns.
type ResidualPoint struct {
	Bytes   int64   `json:"bytes"`
	Send    float64 `json:"send"`    // added to T1 or T1'
	Transit float64 `json:"transit"` // added to T2 or T2'
	Recv    float64 `json:"receive"` // added to T3 or T3'
	// Crossing is what a message takes longer whose receiver sends one at the same time.
	Crossing float64 `json:"crossing,omitempty"`
}

// at returns what is added for messages of k bytes, of the eager side of S or of the other.
func (r *Residual) at(k float64, eager bool) ResidualPoint {
	if r == nil {
		return ResidualPoint{}
	}
	points := r.side(eager)
	if len(points) == 0 {
		return ResidualPoint{}
	}
	i, _ := slices.BinarySearchFunc(points, k, func(p ResidualPoint, k float64) int {
		return cmp.Compare(float64(p.Bytes), k)
	})
	if i == 0 || i == len(points) {
		return points[min(i, len(points)-1)]
	}
	a, b := &points[i-1], &points[i]
	x := (k - float64(a.Bytes)) / float64(b.Bytes-a.Bytes)
	between := func(a, b float64) float64 { return a + x*(b-a) }
	return ResidualPoint{
		Send: between(a.Send, b.Send), Transit: between(a.Transit, b.Transit), Recv: between(a.Recv, b.Recv),
		Crossing: between(a.Crossing, b.Crossing),
	}
}

// side returns the points of one side of S.
func (r *Residual) side(eager bool) []ResidualPoint {
	first, _ := slices.BinarySearchFunc(r.Points, r.Sync+1,
		func(p ResidualPoint, k int64) int { return cmp.Compare(p.Bytes, k) })
	if eager {
		return r.Points[:first]
	}
	return r.Points[first:]
}

// check reports a residual that is none.
func (r *Residual) check() error {
	if r == nil {
		return nil
	}
	last := int64(-1)
	for _, p := range r.Points {
		if p.Bytes <= last || !finite(p.Send, p.Transit, p.Recv, p.Crossing) || p.Crossing < 0 {
			return fmt.Errorf(
				"loggps: residual of %d bytes: want points in order of size, numbers of nanoseconds, and "+
					"no crossing below 0", p.Bytes)
		}
		last = p.Bytes
	}
	if !finite(r.Control, r.Latency, r.Call) || r.Sync < 0 {
		return fmt.Errorf("loggps: residual: control %v, latency %v, call %v, S %d: want numbers of "+
			"nanoseconds, and a size", r.Control, r.Latency, r.Call, r.Sync)
	}
	return nil
}

func finite(list ...float64) bool {
	for _, v := range list {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Control is the overhead of a request or an acknowledgement: o', unless a residual says more.
func (p *Params) Control() float64 {
	if p.Residual == nil {
		return p.O
	}
	return max(p.O+p.Residual.Control, 0)
}

// Flight is the time from the call until a request or an acknowledgement is there: o' + L, unless
// a residual says more.
func (p *Params) Flight() float64 {
	if p.Residual == nil {
		return p.O + p.L
	}
	return p.Control() + max(p.L+p.Residual.Latency, 0)
}

// Call is the time of a call that moves nothing: o', unless a residual says more.
func (p *Params) Call() float64 {
	if p.Residual == nil {
		return p.O
	}
	return max(p.O+p.Residual.Call, 0)
}

// Crossing is what a message of k bytes takes longer if its receiver sends one at the same time. The
// paper has no such time.
func (p *Params) Crossing(k int64) float64 { return p.Residual.at(float64(k), p.Eager(k)).Crossing }

// KnownAfter is the time from the send call until the receiver can know of a message of k bytes.
func (p *Params) KnownAfter(k int64) float64 {
	if p.Residual == nil || !p.Eager(k) {
		return p.Flight()
	}
	return min(p.Flight(), p.T1(float64(k))+p.Transit(k))
}
