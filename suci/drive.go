package suci

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/gopvas/gopvas/suci/internal/protocol"
)

// drive is what a loop keeps of one endpoint. The loop's lock guards all of it but users.
type drive struct {
	*loop
	e     *Endpoint
	at    protocol.Time  // of the last packets
	looks int            // at the socket in vain
	wake  protocol.Time  // when the machine wants to send, as of the last step
	ready bool           // the socket may have packets; not used while the loop has one endpoint
	users sync.WaitGroup // sleeps that use the socket without the lock
}

// looksPerTime is how often the socket is looked at in vain before the clock is read.
const looksPerTime = 8

// init has the endpoint driven by a loop.
func (d *drive) init(e *Endpoint, l *loop) error {
	d.e = e
	return l.add(d)
}

// intake receives what has come and returns how many packets that were.
func (d *drive) intake() int {
	e := d.e
	if e.failure != nil {
		return 0
	}
	n, err := e.socket.Receive((*taker)(d))
	if err != nil {
		e.failure, d.news = err, true
	}
	if n > 0 {
		d.moved = true
		d.wake = e.machine.Wake()
	}
	return n
}

// stepAlone is step for the only endpoint of a loop. Looking for packets in vain costs one system
// call and nothing else.
func (d *drive) stepAlone() bool {
	n := d.intake()
	now := d.at
	if n > 0 {
		d.looks = 0
	} else if d.looks++; d.looks%looksPerTime != 0 {
		return false
	} else {
		now = d.now()
	}
	if d.wake <= now {
		d.send(now)
	} else if d.news {
		d.announce()
	}
	return n > 0
}

// taker is the drive as its socket sees it, with the lock held.
type taker drive

// Train implements udp.Taker.
func (d *taker) Train(now, arrived time.Duration, from netip.AddrPort, b []byte, length int) {
	d.at = protocol.Time(now)
	d.e.machine.Train(d.at, protocol.Time(arrived), from, b, length)
}

// Landing implements udp.Taker.
func (d *taker) Landing() (to []byte) { return d.e.machine.Landing() }

// Row implements udp.Taker.
func (d *taker) Row(now, arrived time.Duration, b []byte, length int) (taken int) {
	d.at = protocol.Time(now)
	return d.e.machine.Row(d.at, protocol.Time(arrived), b, length)
}

// mostIntakes bounds how often a step receives on one of several endpoints.
const mostIntakes = 4

// drain receives until the socket is empty, or so often that other endpoints are due.
func (d *drive) drain() (came bool) {
	for range mostIntakes {
		if d.intake() == 0 {
			d.ready = false
			break
		}
		came = true
	}
	return came
}

// send sends what is due.
func (d *drive) send(now protocol.Time) {
	e := d.e
	e.machine.SetSlack(d.slack)
	for {
		e.batch.Reset()
		if e.machine.Backlogged() {
			queued := e.socket.Queued() // before the clock: the thread may lose its CPU in between
			e.machine.Queued(e.now(), queued, false)
		}
		more := e.machine.Transmit(now, e.batch)
		if len(e.batch.Trains) > 0 {
			d.moved = true
			e.socket.Send(e.batch.Trains)
			if e.socket.TooLong() {
				e.machine.Shrink(now)
			}
		}
		if e.batch.Long {
			e.machine.Queued(e.now(), e.socket.Queued(), true)
		}
		if !more {
			break
		}
		now = e.now()
	}
	d.wake = e.machine.Wake()
	if d.news {
		d.announce()
	}
}

// poke sends what a call has queued, and wakes the driver if it sleeps too long now.
func (d *drive) poke(now protocol.Time) {
	d.send(now)
	d.hasten()
}

// hasten wakes the driver if it sleeps longer than the machine allows.
func (d *drive) hasten() {
	if d.wake < d.sleepUntil {
		d.wakeSleeper()
	}
}

// await waits until ready, which is called with the lock held as await is.
func (d *drive) await(ctx context.Context, ready func() bool) (err error) {
	e := d.e
	for err == nil && !ready() {
		switch {
		case e.closed:
			err = ErrClosed
		case e.failure != nil:
			err = e.failure
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case d.driving:
			d.follow(ctx)
		default:
			d.drive(ctx, ready)
		}
	}
	d.pass()
	return err
}

// drive makes progress until ready, or until await has to look for another reason.
func (d *drive) drive(ctx context.Context, ready func() bool) {
	e := d.e
	d.driving = true
	d.depose()
	d.watch(ctx)
	begin := time.Time{}
	if d.options.Spin <= 0 {
		d.sleep(d.driverWake) // the kernel looks for packets just as well
	}
	for !e.closed && e.failure == nil && ctx.Err() == nil {
		came := d.step()
		if ready() {
			break
		}
		switch {
		case came:
			begin = time.Time{}
		case e.failure != nil: // a broken socket wakes nobody
		case d.spin(&begin):
		default:
			d.sleep(d.driverWake)
		}
	}
	d.leave()
}

// spin lets others have the lock and tells whether to look again without sleeping.
func (d *drive) spin(begin *time.Time) bool {
	switch {
	case d.options.Spin <= 0 || d.slack > 0 || d.options.Hold != nil && d.options.Hold():
		return false
	case !d.several() && d.looks%looksPerTime != 0:
		return true
	}
	if begin.IsZero() {
		*begin = time.Now()
	} else if time.Since(*begin) > d.options.Spin {
		return false
	}
	d.mu.Unlock()
	d.mu.Lock()
	d.peek()
	return true
}

// leaveLoop takes the endpoint, which is closed, out of the loop, and ends the loop if it has no
// other one. It lets the lock go. Nobody uses the socket afterwards.
func (d *drive) leaveLoop() {
	last := d.remove(d)
	d.mu.Unlock()
	d.users.Wait()
	if last {
		d.end()
	}
}
