package exchange

import "math"

// In a network of direct connections each neighbor is reached by a link of its own. Devices that send pieces of one
// message at the same time share its link.

// sender is a device at work on its queue.
type sender struct {
	queue []Piece // that are not done
	wait  float64 // ns until the first of them begins
	left  float64 // bytes of it
}

// linked returns how long the plan takes over links of so many bytes per second, in ns. From one begin or end of a
// piece to the next all devices go on at the same pace.
func (p *Plan) linked(devices []Device, link float64) (ns float64) {
	senders, demand := make([]sender, len(devices)), map[int]float64{}
	for i, d := range devices {
		senders[i] = sender{queue: p.Queues[i], wait: d.Busy}
		senders[i].begin(d)
	}
	for {
		clear(demand)
		for i, s := range senders {
			if len(s.queue) > 0 && s.wait == 0 {
				demand[s.queue[0].Message] += devices[i].Bandwidth
			}
		}
		pace := func(i int) float64 { // bytes per ns
			of := devices[i].Bandwidth
			return of * min(1, link/demand[senders[i].queue[0].Message]) / 1e9
		}
		step := math.Inf(1)
		for i, s := range senders {
			switch {
			case len(s.queue) == 0:
			case s.wait > 0:
				step = min(step, s.wait)
			default:
				step = min(step, s.left/pace(i))
			}
		}
		if math.IsInf(step, 1) {
			return ns
		}
		ns += step
		for i := range senders {
			switch s := &senders[i]; {
			case len(s.queue) == 0:
			case s.wait > 0:
				s.wait = max(0, s.wait-step)
			default:
				const rest = 1e-6 // of a byte
				if s.left -= step * pace(i); s.left <= rest {
					s.queue = s.queue[1:]
					s.begin(devices[i])
				}
			}
		}
	}
}

// begin begins the first piece of what is left.
func (s *sender) begin(d Device) {
	if len(s.queue) > 0 {
		s.wait += d.Latency
		s.left = float64(s.queue[0].Len())
	}
}
