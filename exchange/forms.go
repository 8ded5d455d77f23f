package exchange

// plain gives each message in turn to the device that would be done with it first. With equal
// messages and devices it is a round robin.
func (p *Planner) plain(plan *Plan, sizes []int, devices []Device) {
	p.done = p.done[:0]
	for _, d := range devices {
		p.done = append(p.done, d.Busy)
	}
	for message, size := range sizes {
		if size == 0 {
			continue
		}
		best := 0
		for i, d := range devices {
			if p.done[i]+d.cost(1, size) < p.done[best]+devices[best].cost(1, size) {
				best = i
			}
		}
		plan.add(best, message, 0, size)
		p.done[best] += devices[best].cost(1, size)
	}
}

// stripe cuts each message into a piece for each device, in proportion to its bandwidth.
func (p *Planner) stripe(plan *Plan, sizes []int, devices []Device) {
	all := 0.0
	for _, d := range devices {
		all += d.Bandwidth
	}
	for message, size := range sizes {
		from, share := 0, 0.0
		for i, d := range devices {
			share += d.Bandwidth
			to := p.cut(float64(size)*share/all, size)
			if i == len(devices)-1 {
				to = size
			}
			plan.add(i, message, from, to)
			from = to
		}
	}
}

// steps is the schedule of Morie and Nanri. In step i device j sends segment (j + iC) / N of
// message (j + iC) mod N. Within a step all destinations differ. Where it does not apply it is
// the plain form.
func (p *Planner) steps(plan *Plan, sizes []int, devices []Device) {
	n, c := len(sizes), len(devices)
	if n <= c || c == 1 {
		p.plain(plan, sizes, devices)
		return
	}
	k := gcd(n, c)
	steps, segments := n/k, c/k
	for i := range steps {
		for j := range c {
			segment, message := (j+i*c)/n, (j+i*c)%n
			size := sizes[message]
			plan.add(j, message, p.segment(size, segment, segments), p.segment(size, segment+1, segments))
		}
	}
}

// segment returns where one of so many segments begins.
func (p *Planner) segment(size, i, segments int) int {
	if i == segments {
		return size
	}
	return p.cut(float64(size)*float64(i)/float64(segments), size)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
