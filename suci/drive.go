package suci

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/gopvas/gopvas/suci/protocol"
	"github.com/gopvas/gopvas/suci/udp"
)

// How an endpoint makes progress. There is no thread that spins, and none that all
// packets have to pass through: a goroutine that waits drives the endpoint itself.
//
// At any time one goroutine at most is the driver: it receives, hands packets to the
// machine, sends what the machine wants sent, and sleeps in the kernel until a packet or
// a timer comes. The others that wait, the followers, sleep on a channel that is closed
// when there is news. A driver that has what it waited for leaves; a follower takes over.
//
// When no goroutine of the program waits, the keeper drives, so that acknowledgements and
// timers do not depend on the program. To wake the keeper whenever a driver leaves would
// cost more than a short message does. So it looks only now and then (keeperTick) whether
// somebody has driven since, and takes over if not.
//
// driver counts the drivers; whoever drives has the latest number. To depose the keeper,
// a goroutine takes a new number; the keeper finds that out when it wakes up, and both
// may receive meanwhile, under the lock.
//
//	who          writes                          under
//	a driver     driver, driving, sleeping       mu
//	followers    followers                       mu
//	anybody      news, changes (channel)         mu
//
// A goroutine that gives the machine a timer earlier than the driver's sleepUntil wakes
// the driver.
type drive struct {
	e          *Endpoint
	driver     uint64
	driving    bool // somebody other than the keeper drives
	sleepUntil protocol.Time
	at         protocol.Time // of the last packets
	looks      int           // at the socket in vain
	wake       protocol.Time // when the machine wants to send, as of the last step
	sleeping   *udp.Waker    // of the driver while it sleeps
	driverWake *udp.Waker
	keeperWake *udp.Waker
	followers  int
	news       bool
	announced  uint64 // how often there was news
	changes    chan struct{}
	hire       chan struct{}   // tells the keeper that drivers come and go
	hired      bool            // the keeper looks now and then
	kept       chan struct{}   // closed when the keeper has ended
	watched    <-chan struct{} // its end wakes the driver
	unwatch    func() bool
	users      sync.WaitGroup // uses of the socket and the driver's waker without the lock
}

// keeperTick is how often the keeper looks whether anybody drives.
const keeperTick = 2 * time.Millisecond

// looksPerTime is how often the socket is looked at in vain before the clock is read.
const looksPerTime = 8

// longestSleep bounds the sleep of a driver.
const longestSleep = time.Minute

func (d *drive) init(e *Endpoint) (err error) {
	d.e = e
	if d.driverWake, err = udp.NewWaker(); err != nil {
		return err
	}
	if d.keeperWake, err = udp.NewWaker(); err != nil {
		_ = d.driverWake.Close()
		return err
	}
	d.changes, d.hire, d.kept = make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	d.hired, d.unwatch = true, func() bool { return true }
	go d.keep()
	return nil
}

// stop ends the keeper and waits until nobody uses the socket. The endpoint is closed.
func (d *drive) stop() {
	select {
	case d.hire <- struct{}{}:
	default:
	}
	d.driverWake.Wake()
	d.keeperWake.Wake()
	d.unwatch()
	<-d.kept
	d.users.Wait()
	_ = d.driverWake.Close()
	_ = d.keeperWake.Close()
}

// step receives what has come and sends what is due. It tells whether anything came.
// Looking for packets in vain costs one system call and nothing else.
func (d *drive) step() bool {
	e := d.e
	n, err := e.socket.Receive((*intake)(d))
	if err != nil && e.failure == nil {
		e.failure, d.news = err, true
	}
	now := d.at
	if n > 0 {
		d.looks, d.wake = 0, e.machine.Wake()
	} else if d.looks++; d.looks%looksPerTime != 0 {
		return false
	} else {
		now = e.now()
	}
	if d.wake <= now {
		d.send(now)
	} else if d.news {
		d.announce()
	}
	return n > 0
}

// intake is the drive as its socket sees it, with the lock held.
type intake drive

// Train implements udp.Taker.
func (d *intake) Train(now, arrived time.Duration, from netip.AddrPort, b []byte, length int) {
	d.at = protocol.Time(now)
	d.e.machine.Train(d.at, protocol.Time(arrived), from, b, length)
}

// Landing implements udp.Taker.
func (d *intake) Landing() (to []byte) { return d.e.machine.Landing() }

// Row implements udp.Taker.
func (d *intake) Row(now, arrived time.Duration, b []byte, length int) (taken int) {
	d.at = protocol.Time(now)
	return d.e.machine.Row(d.at, protocol.Time(arrived), b, length)
}

// poll makes one step for a goroutine that does not wait.
func (d *drive) poll() bool {
	if !d.driving {
		d.driver++
	}
	return d.step()
}

// send sends what is due, and tells followers what is new.
func (d *drive) send(now protocol.Time) {
	e := d.e
	for !e.closed {
		e.batch.Reset()
		if e.machine.Backlogged() {
			e.machine.Queued(now, e.socket.Queued(), false)
		}
		more := e.machine.Transmit(now, e.batch)
		if len(e.batch.Trains) > 0 {
			e.socket.Send(e.batch.Trains)
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

// announce wakes the followers.
func (d *drive) announce() {
	d.news = false
	d.announced++
	if d.followers > 0 {
		close(d.changes)
		d.changes = make(chan struct{})
	}
}

// poke sends what a call has queued, and wakes the driver if it sleeps too long now.
func (d *drive) poke(now protocol.Time) {
	d.send(now)
	if d.sleeping != nil && d.wake < d.sleepUntil {
		d.sleeping.Wake()
		d.sleeping = nil
	}
}

// await waits until ready, which is called with the lock held as await is.
func (d *drive) await(ctx context.Context, ready func() bool) error {
	e := d.e
	for !ready() {
		switch {
		case e.closed:
			return ErrClosed
		case e.failure != nil:
			return e.failure
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.driving:
			d.follow(ctx)
		default:
			d.drive(ctx, ready)
		}
	}
	return nil
}

// follow waits for news from the driver.
func (d *drive) follow(ctx context.Context) {
	changes := d.changes
	d.followers++
	d.e.mu.Unlock()
	select {
	case <-changes:
	case <-ctx.Done():
	}
	d.e.mu.Lock()
	d.followers--
}

// drive makes progress until ready, or until await has to look for another reason.
func (d *drive) drive(ctx context.Context, ready func() bool) {
	e := d.e
	d.driving = true
	d.driver++
	d.watch(ctx)
	begin := time.Time{}
	if e.options.Spin <= 0 {
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
		case d.spin(&begin):
		default:
			d.sleep(d.driverWake)
		}
	}
	d.leave()
}

// leave ends the drive.
func (d *drive) leave() {
	d.driving = false
	if d.followers > 0 {
		d.announce() // one of them drives next
	} else if !d.hired {
		d.hired = true
		d.hire <- struct{}{}
	}
}

// watch has the driver woken when the context ends. It is told once of a context that many
// calls have. A wake-up after these calls makes somebody look once in vain.
func (d *drive) watch(ctx context.Context) {
	if done := ctx.Done(); done != d.watched && done != nil {
		d.unwatch()
		d.watched, d.unwatch = done, context.AfterFunc(ctx, d.e.Wake)
	}
}

// spin lets others have the lock and tells whether to look again without sleeping.
func (d *drive) spin(begin *time.Time) bool {
	switch {
	case d.e.options.Spin <= 0:
		return false
	case d.looks%looksPerTime != 0:
		return true
	}
	if begin.IsZero() {
		*begin = time.Now()
	} else if time.Since(*begin) > d.e.options.Spin {
		return false
	}
	d.e.mu.Unlock()
	d.e.mu.Lock()
	return true
}

// sleep sleeps until a packet or a timer comes, or the waker is used.
func (d *drive) sleep(w *udp.Waker) { d.sleepBy(w, longestSleep, false) }

// sleepBy is sleep for so long at most, and quietly or not: see udp.Socket.WaitQuietly. It
// returns true when a signal has disturbed a quiet sleep.
func (d *drive) sleepBy(w *udp.Waker, most time.Duration, quietly bool) (disturbed bool) {
	e := d.e
	d.wake = e.machine.Wake()
	now, until := e.now(), d.wake
	if until <= now {
		return false
	}
	d.sleeping, d.sleepUntil = w, until
	d.users.Add(1)
	e.mu.Unlock()
	most = min(time.Duration(until-now), most)
	if quietly {
		disturbed = e.socket.WaitQuietly(w, most)
	} else {
		e.socket.Wait(w, most)
	}
	d.users.Done()
	e.mu.Lock()
	d.looks = looksPerTime - 1 // read the clock
	if d.sleeping == w {
		d.sleeping = nil
	}
	return disturbed
}

// keep drives when nobody else does.
func (d *drive) keep() {
	defer close(d.kept)
	e := d.e
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.closed {
		seen := d.driver
		e.mu.Unlock()
		time.Sleep(keeperTick)
		e.mu.Lock()
		switch {
		case e.closed:
		case d.driver != seen: // they come and go: look again
		case d.driving: // the same all the time: it tells when it leaves
			d.hired = false
			e.mu.Unlock()
			<-d.hire
			e.mu.Lock()
		default:
			d.serve()
		}
	}
}

// serve drives until somebody else does.
func (d *drive) serve() {
	e := d.e
	d.driver++
	me := d.driver
	d.looks = looksPerTime - 1
	for !e.closed && d.driver == me {
		before := d.announced
		if !d.step() {
			d.sleep(d.keeperWake)
		}
		if d.announced != before && e.options.OnNews != nil {
			e.options.OnNews()
		}
	}
}
