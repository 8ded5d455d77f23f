package loggps

// The parts of a message of k bytes. A prime in the paper (T1') is written Long here; it
// belongs to k > S, that of T2' already to k > s. Where a Residual is known it is added.

// T1 is the overhead of sending, k <= S.
func (p *Params) T1(k float64) float64 { return p.O + k*p.Oss + p.Residual.at(k, true).Send }

// T1Long is the overhead of sending the data, k > S.
func (p *Params) T1Long(k float64) float64 { return p.O + k*p.Osl + p.Residual.at(k, false).Send }

// T2 is the time in the network, k <= s.
func (p *Params) T2(k float64) float64 { return k*p.Gs + p.L }

// T2Long is the time in the network, k > s.
func (p *Params) T2Long(k float64) float64 {
	s := float64(p.Packet)
	return s*p.Gs + (k-s)*p.Gl + p.L
}

// T3 is the overhead of receiving, k <= S.
func (p *Params) T3(k float64) float64 { return p.O + k*p.Ors + p.Residual.at(k, true).Recv }

// T3Long is the overhead of receiving the data, k > S.
func (p *Params) T3Long(k float64) float64 { return p.O + k*p.Orl + p.Residual.at(k, false).Recv }

// T4 is the time until the receiver knows of the message, k > S. The receive call comes
// late = tr-ts after the send call.
func (p *Params) T4(late float64) float64 { return max(p.Flight(), late) + p.Control() }

// T5 is the time of the acknowledgement, k > S.
func (p *Params) T5() float64 { return p.Flight() + p.Control() }

// Transit is T2 or T2', whichever belongs to k. The paper has s <= S, so that k > S means
// T2'; with Transit for it the formulas also hold for an S below s.
func (p *Params) Transit(k int64) float64 {
	more := p.Residual.at(float64(k), p.Eager(k)).Transit
	if k <= p.Packet {
		return p.T2(float64(k)) + more
	}
	return p.T2Long(float64(k)) + more
}

// Eager tells whether a message is sent without waiting for the receiver.
func (p *Params) Eager(k int64) bool { return k <= p.Sync }

// CommTime is the time from the send call to the end of the receive call:
// equations (1), (2) and (3).
func (p *Params) CommTime(k int64, late float64) float64 {
	b := float64(k)
	if p.Eager(k) {
		return p.T1(b) + p.Transit(k) + p.T3(b) // (1), (2)
	}
	return p.T4(late) + p.T5() + p.T1Long(b) + p.Transit(k) + p.T3Long(b) // (3)
}

// SendTime is the duration of a blocking send: equations (4) and (5).
func (p *Params) SendTime(k int64, late float64) float64 {
	if p.Eager(k) {
		return p.T1(float64(k)) // (4)
	}
	return p.T4(late) + p.T5() + p.T1Long(float64(k)) // (5)
}

// IsendTime is the duration of the call of a nonblocking send: equation (6).
func (p *Params) IsendTime() float64 { return p.Call() }

// RecvTime is the duration of a blocking receive: equations (7), (8) and (9).
func (p *Params) RecvTime(k int64, late float64) float64 {
	b := float64(k)
	if p.Eager(k) {
		return max(p.T1(b)+p.Transit(k)-late, 0) + p.T3(b) // (7), (8)
	}
	return max(p.Flight()-late, 0) + p.Control() + p.T5() + p.T1Long(b) + p.Transit(k) + p.T3Long(b) // (9)
}

// IrecvTime is the duration of the call of a nonblocking receive: equation (10).
func (p *Params) IrecvTime() float64 { return p.Call() }

// WaitTime is the duration of Wait: equation (11). The blocking form would take blocking;
// the nonblocking one was called elapsed = tw-ti before Wait, and that much of it is done.
// (The paper prints the difference the other way round and explains it this way.)
func (p *Params) WaitTime(blocking, elapsed float64) float64 {
	return max(blocking-elapsed, p.Call())
}

// RoundTrip is the time of a round trip of k bytes with a loop of w ns before the receive
// at the measuring side: equations (12), (13) and (14).
func (p *Params) RoundTrip(k int64, w float64) float64 {
	b := float64(k)
	if p.Eager(k) {
		t1, t2, t3 := p.T1(b), p.Transit(k), p.T3(b)
		return max(t1+2*t2+t3-w, 0) + w + t1 + t3 // (12), (13)
	}
	t1, t2, t3 := p.T1Long(b), p.Transit(k), p.T3Long(b)
	// the receive has begun by the time the request arrives
	early := p.Flight()
	return max(t2+t3+early-w, 0) + w + 2*t1 + t2 + t3 + 2*p.T4(0) + 2*p.T5() - early // (14)
}

// Shared returns the parameters of each of n messages that go to one destination at the
// same time: they share the bandwidth, so the slope that holds it, the largest one, is n
// times as large.
func (p Params) Shared(n int) Params {
	share := func(slopes ...*float64) {
		top := slopes[0]
		for _, s := range slopes {
			if *s > *top {
				top = s
			}
		}
		*top *= float64(n)
	}
	share(&p.Oss, &p.Ors, &p.Gs)
	share(&p.Osl, &p.Orl, &p.Gl)
	return p
}
