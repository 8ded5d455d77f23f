package exchange

import (
	"fmt"
	"math"
	"slices"
)

// Device is one way to the peers.
type Device struct {
	Latency   float64 // ns that each piece costs, however short
	Bandwidth float64 // bytes per second
	Busy      float64 // ns until the device is free
}

// time is when the device is done with pieces of so many bytes in all, in ns.
func (d Device) time(pieces, bytes int) float64 {
	return d.Busy + d.cost(pieces, bytes)
}

func (d Device) cost(pieces, bytes int) float64 {
	return float64(pieces)*d.Latency + float64(bytes)*1e9/d.Bandwidth
}

// Piece is a part of a message: the bytes [From, To).
type Piece struct {
	Message  int
	From, To int
}

// Len is the number of bytes.
func (p Piece) Len() int { return p.To - p.From }

// Form is a way to divide messages.
type Form uint8

// The forms. Auto stands for the one with the least predicted time.
const (
	Auto Form = iota
	Plain
	Wrap
	Steps
	Stripe
)

var formNames = [...]string{"auto", "plain", "wrap", "steps", "stripe"}

// String returns the form's name.
func (f Form) String() string { return formNames[f] }

// Forms are the forms that can be made.
func Forms() []Form { return []Form{Plain, Wrap, Steps, Stripe} }

// ParseForm is the inverse of String.
func ParseForm(name string) (Form, error) {
	if i := slices.Index(formNames[:], name); i >= 0 {
		return Form(i), nil
	}
	return Auto, fmt.Errorf("exchange: form %q is none of auto, plain, wrap, steps, stripe", name)
}

// Plan says what each device sends, in order. Each byte of each message is in one piece;
// messages of no bytes are in none.
type Plan struct {
	Form   Form
	Queues [][]Piece // by device
	Time   float64   // predicted, in ns
}

// reset empties the plan for so many devices, and keeps its memory.
func (p *Plan) reset(f Form, devices int) {
	p.Form, p.Time = f, 0
	for len(p.Queues) < devices {
		p.Queues = append(p.Queues, nil)
	}
	p.Queues = p.Queues[:devices]
	for i := range p.Queues {
		p.Queues[i] = p.Queues[i][:0]
	}
}

// add gives a piece to a device. A piece of nothing is left out.
func (p *Plan) add(device, message, from, to int) {
	if to > from {
		p.Queues[device] = append(p.Queues[device], Piece{message, from, to})
	}
}

// Finish returns when a device is done, in ns.
func (p *Plan) Finish(device int, d Device) float64 {
	bytes := 0
	for _, piece := range p.Queues[device] {
		bytes += piece.Len()
	}
	return d.time(len(p.Queues[device]), bytes)
}

// predict sets Time, for links of a bandwidth; 0: links do not bind.
func (p *Plan) predict(devices []Device, link float64) {
	if p.Time = 0; link > 0 {
		p.Time = p.linked(devices, link)
		return
	}
	for i, d := range devices {
		if len(p.Queues[i]) > 0 {
			p.Time = math.Max(p.Time, p.Finish(i, d))
		}
	}
}

// Planner makes plans. It keeps memory, so the plans that it returns are good until the next
// call. Its zero value cuts anywhere. One goroutine at a time uses it.
type Planner struct {
	Unit int // messages are cut at multiples of so many bytes; 0: 1

	// Link is the bandwidth of the way to each receiver in bytes per second, as in a torus, which pieces of one
	// message share; 0: it does not bind, as in a network of switches.
	Link float64

	plans [len(formNames)]Plan
	done  []float64 // by device
}

// Make returns the plan of a form, or of the best one for Auto. There must be devices, with
// bandwidths above 0.
func (p *Planner) Make(f Form, sizes []int, devices []Device) *Plan {
	if f == Auto {
		return p.Choose(sizes, devices)
	}
	plan := &p.plans[f]
	plan.reset(f, len(devices))
	switch f {
	case Plain:
		p.plain(plan, sizes, devices)
	case Stripe:
		p.stripe(plan, sizes, devices)
	case Steps:
		p.steps(plan, sizes, devices)
	case Wrap:
		p.wrap(plan, sizes, devices)
	}
	plan.predict(devices, p.Link)
	return plan
}

// Choose returns the plan with the least predicted time; of equal ones that with the fewest
// cuts.
func (p *Planner) Choose(sizes []int, devices []Device) *Plan {
	best := p.Make(Plain, sizes, devices)
	if len(devices) == 1 {
		return best
	}
	for _, f := range Forms()[1:] {
		if plan := p.Make(f, sizes, devices); plan.Time < best.Time*(1-1e-9) {
			best = plan
		}
	}
	return best
}

// cut rounds a place in a message of so many bytes to a multiple of Unit.
func (p *Planner) cut(at float64, size int) int {
	unit := max(p.Unit, 1)
	return min(int(math.Round(at/float64(unit)))*unit, size)
}
