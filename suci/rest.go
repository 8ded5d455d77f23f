package suci

import "time"

// Rest waits until packets have come, Wake was called, stop returns true, or the time is
// over. It polls for Options.Spin, then sleeps, and takes the packets in. If the loop has several
// endpoints, it takes in packets of all of them, and waits until a block has come or is done. It is
// for programs that wait for other things besides: they call Wake from another goroutine. Rest asks
// stop once more before each sleep, when Wake already wakes it. stop must not call the endpoint.
//
// quietly keeps the sleep from the Go scheduler, which makes waking cheaper; such a sleep
// takes a slot of GOMAXPROCS, also ends with any signal, and should be short.
//
// Rest returns false if the time is over or a signal has come. One goroutine at a time may
// rest, of all endpoints of a loop, and none may wait in another call then. An error is that of the
// endpoint, which is of no use any more.
func (e *Endpoint) Rest(limit time.Duration, quietly bool, stop func() bool) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := &e.drive
	d.driving = true
	d.depose()
	defer d.leave()
	begin, told := time.Now(), d.announced
	until := begin.Add(limit)
	news := func(came bool) bool {
		if d.several() {
			return d.announced != told
		}
		return came
	}
	for {
		switch {
		case e.closed:
			return false, ErrClosed
		case e.failure != nil:
			return false, e.failure
		case stop():
			return true, nil
		}
		if d.spin(&begin) {
			if news(d.step()) {
				return true, nil
			}
			continue
		}
		left := time.Until(until)
		if left <= 0 {
			return false, nil
		}
		if disturbed := d.sleepBy(d.driverWake, left, quietly); news(d.step()) {
			return true, nil
		} else if disturbed {
			return false, nil
		}
	}
}

// Wake ends the Rest that runs, or the next one if none does. If no call of the program drives the endpoints, it is
// also news: see OnNews.
func (e *Endpoint) Wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.driverWake.Wake()
	if !e.driving {
		e.announce()
	}
}
