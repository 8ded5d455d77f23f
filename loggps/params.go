package loggps

import (
	"fmt"
	"math"
)

// Params are the parameters of one link, in nanoseconds, nanoseconds per byte and bytes.
type Params struct {
	L   float64 `json:"L"`           // latency, ns
	O   float64 `json:"o"`           // o': overhead of an empty message at either side, ns
	Oss float64 `json:"Oss"`         // overhead of sending, k <= S, ns/byte
	Ors float64 `json:"Ors"`         // overhead of receiving, k <= S, ns/byte
	Osl float64 `json:"Osl"`         // overhead of sending, k > S, ns/byte
	Orl float64 `json:"Orl"`         // overhead of receiving, k > S, ns/byte
	Gs  float64 `json:"Gs"`          // gap of the first s bytes, ns/byte
	Gl  float64 `json:"Gl"`          // gap of the bytes beyond s, ns/byte
	Gap float64 `json:"g,omitempty"` // gap between messages, ns; LogGPS takes it as part of o'

	Packet int64 `json:"s"` // s: the longest message of one packet
	Sync   int64 `json:"S"` // S: the longest message sent without synchronisation

	// Residual is what is known beyond the lines; nil: nothing.
	Residual *Residual `json:"residual,omitempty"`
}

// Names are the names of the real-valued parameters, in the order of Values.
var Names = [...]string{"L", "o", "Oss", "Ors", "Osl", "Orl", "Gs", "Gl", "g"}

// NumValues is the number of real-valued parameters.
const NumValues = len(Names)

// Values returns the real-valued parameters in the order of Names.
func (p Params) Values() [NumValues]float64 {
	return [...]float64{p.L, p.O, p.Oss, p.Ors, p.Osl, p.Orl, p.Gs, p.Gl, p.Gap}
}

// With returns the parameters with other real values, in the order of Names.
func (p Params) With(v [NumValues]float64) Params {
	p.L, p.O, p.Oss, p.Ors, p.Osl, p.Orl, p.Gs, p.Gl, p.Gap = v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]
	return p
}

// Validate reports parameters that cannot be those of a machine.
func (p Params) Validate() error {
	for i, v := range p.Values() {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return fmt.Errorf("loggps: parameter %s: %v is no cost; give a number of nanoseconds >= 0", Names[i], v)
		}
	}
	if p.Packet < 0 || p.Sync < 0 {
		return fmt.Errorf("loggps: parameters s=%d, S=%d: want sizes of 0 bytes or more", p.Packet, p.Sync)
	}
	return p.Residual.check()
}

// Terms says how often each real-valued parameter enters a time, in the order of Names.
// A time of the model is the sum of the parameters times such factors, and of a residual. A
// residual is constant, so Terms is also the derivative of the time by the parameters.
type Terms [NumValues]float64

// TermsOf returns the factors of a time that is linear in the real-valued parameters
// while s and S stay. It asks for the time of each parameter alone, so a formula is
// written only once.
func TermsOf(p Params, time func(Params) float64) Terms {
	var t Terms
	p.Residual = nil
	for i := range t {
		var unit [NumValues]float64
		unit[i] = 1
		t[i] = time(p.With(unit))
	}
	return t
}

// Time returns the time that the factors make with given parameters.
func (t Terms) Time(p Params) float64 {
	sum := 0.0
	for i, v := range p.Values() {
		sum += t[i] * v
	}
	return sum
}

// Add adds the factors of another time.
func (t *Terms) Add(u Terms) {
	for i := range t {
		t[i] += u[i]
	}
}
