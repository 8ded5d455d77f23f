package suci

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/suci/internal/protocol"
	"github.com/gopvas/gopvas/suci/internal/udp"
)

// How endpoints make progress. There is no thread that spins, and none that all packets have to
// pass through: a goroutine that waits drives the endpoint itself. Endpoints that share a loop
// (Options.With) are driven together: one sleep waits for the packets and timers of all.
//
// At any time one goroutine at most is the driver: it receives, hands packets to the machines,
// sends what they want sent, and sleeps in the kernel until a packet or a timer comes. The others
// that wait, the followers, sleep on a channel that is closed when there is news. A driver that
// has what it waited for leaves; a follower takes over.
//
// When no goroutine of the program waits, the keeper drives, so that acknowledgements and
// timers do not depend on the program. To wake the keeper whenever a driver leaves would
// cost more than a short message does. So it looks only now and then (keeperTick) whether
// somebody has driven since, and takes over if not.
//
// driver counts the drivers; whoever drives has the latest number. To depose the keeper,
// a goroutine takes a new number; the keeper finds that out when it wakes up, and both
// may receive meanwhile, under the lock. As long as the number changes from look to look, the keeper
// does not touch the lock: a goroutine that polls has it most of the time, and to hand it over takes
// several switches of threads.
//
//	who          writes                                    under
//	a driver     driver, driving, sleepUntil               mu
//	followers    followers                                 mu
//	anybody      news, changes (channel), drives, sockets  mu
//	anybody      sleeping, to wake who sleeps; moved       mu
//	the keeper   telling, while it calls the program       mu
//
// A sleeper reads drives and sockets without the lock. So both lists are replaced, and never
// changed. An endpoint that leaves the loop wakes the sleepers, and waits until none has its socket
// (drive.users). One that joins wakes them, too: the next sleep knows it.
//
// A sleep is never too long. Whoever changes a machine beside the sleeper compares its next timer with sleepUntil
// before the lock goes, and wakes the sleeper if that is later (hasten).
//
// Whoever waits learns when it may go on. What a call waits for changes under the lock, and only with news. news
// becomes announce before the lock goes. announce wakes all followers, and the driver if it sleeps: another goroutine
// may have done what the driver waits for.
//
// Somebody always drives next. A driver that leaves has either the followers woken or the keeper hired. All followers
// may return then, and none drive: each was ready, or its context has ended. So each call that returns does as a
// driver that leaves (pass). It gives up its place among the followers before, under the lock, so the last one sees
// none and hires the keeper.
type loop struct {
	mu         sync.Mutex // guards the loop and all its endpoints
	start      time.Time  // of the clock of all machines
	options    *Options   // of the first endpoint
	drives     []*drive   // of the endpoints that are not closed
	sockets    []*udp.Socket
	over       bool          // all endpoints are closed
	driver     atomic.Uint64 // the keeper reads it without the lock
	driving    bool          // somebody other than the keeper drives
	sleepUntil protocol.Time
	sleeping   *udp.Waker // of the driver while it sleeps
	driverWake *udp.Waker
	keeperWake *udp.Waker
	waits      uint64 // system calls that waited
	moved      bool   // packets have come or gone since the last Poll
	followers  int
	news       bool
	announced  uint64 // how often there was news
	changes    chan struct{}
	hire       chan struct{}   // tells the keeper that drivers come and go
	hired      bool            // the keeper looks now and then
	telling    bool            // the keeper calls the program
	kept       chan struct{}   // closed when the keeper has ended
	watched    <-chan struct{} // its end wakes the driver
	unwatch    func() bool
	gathering
}

// keeperTick is how often the keeper looks whether anybody drives.
const keeperTick = 2 * time.Millisecond

// longestSleep bounds the sleep of a driver.
const longestSleep = time.Minute

// newLoop returns a loop, whose keeper runs.
func newLoop(o *Options, start time.Time) (*loop, error) {
	l := &loop{start: start, options: o, hired: true, unwatch: func() bool { return true }}
	var err error
	if l.driverWake, err = udp.NewWaker(); err != nil {
		return nil, err
	}
	if l.keeperWake, err = udp.NewWaker(); err != nil {
		_ = l.driverWake.Close()
		return nil, err
	}
	l.changes, l.hire, l.kept = make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	go l.keep()
	return l, nil
}

// now is the time of the machines' clock.
func (l *loop) now() protocol.Time { return protocol.Time(time.Since(l.start)) }

// several tells whether the loop has more than one endpoint.
func (l *loop) several() bool { return len(l.drives) > 1 }

// add adds an endpoint.
func (l *loop) add(d *drive) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return ErrClosed
	case len(l.drives) == udp.MostSockets:
		return fmt.Errorf("suci: join loop: it has %d endpoints, the most that one can have; open "+
			"this one without With", len(l.drives))
	}
	d.loop = l
	l.drives = append(slices.Clone(l.drives), d)
	l.changed()
	return nil
}

// remove takes an endpoint out, which is being closed. It tells whether the loop has none left.
func (l *loop) remove(d *drive) (last bool) {
	l.drives = slices.DeleteFunc(slices.Clone(l.drives), func(o *drive) bool { return o == d })
	l.over = len(l.drives) == 0
	l.changed()
	return l.over
}

// changed has all sleepers learn which endpoints there are.
func (l *loop) changed() {
	l.gathering, l.sockets = gathering{}, nil
	for _, d := range l.drives {
		l.sockets = append(l.sockets, d.e.socket)
		d.ready = true
	}
	l.driverWake.Wake()
	l.keeperWake.Wake()
}

// end ends the keeper. The loop is over, and nobody sleeps in it but the keeper.
func (l *loop) end() {
	select {
	case l.hire <- struct{}{}:
	default:
	}
	l.unwatch()
	<-l.kept
	_ = l.driverWake.Close()
	_ = l.keeperWake.Close()
}

// step receives what has come and sends what is due. It tells whether anything came. Of several
// endpoints it looks at those that may have packets, as of the last sleep or peek.
func (l *loop) step() (came bool) {
	if len(l.drives) == 1 {
		return l.drives[0].stepAlone()
	}
	more := false
	for _, d := range l.drives {
		if d.ready {
			came = d.drain() || came
			more = more || d.ready
		}
	}
	if more {
		l.peek() // the next step comes without a sleep, and the others may have packets by then
	}
	now, sent := l.now(), false
	for _, d := range l.drives {
		if d.wake <= now+l.slack {
			d.send(now)
			sent = true
		}
	}
	if l.news {
		l.announce()
	}
	if came || sent {
		l.gather(now)
	}
	return came
}

// peek finds out which of several endpoints have packets.
func (l *loop) peek() {
	if l.several() {
		ready, _ := udp.Wait(l.sockets, nil, 0, true) // who sleeps needs the waker
		l.note(l.drives, ready)
	}
}

// note notes which endpoints have packets.
func (l *loop) note(drives []*drive, ready uint64) {
	for i, d := range drives {
		d.ready = d.ready || ready>>i&1 != 0
	}
}

// poll makes one step for a goroutine that does not wait. It tells whether anything came.
func (l *loop) poll() (came bool) {
	if !l.driving && !l.telling {
		l.depose()
	}
	l.peek()
	came = l.step()
	if l.sleeping != nil {
		for _, d := range l.drives {
			d.hasten()
		}
	}
	return came
}

// depose makes the caller the driver. A keeper that sleeps wakes up: nobody would wake it when the
// machines have earlier timers.
func (l *loop) depose() {
	l.driver.Add(1)
	if l.sleeping == l.keeperWake {
		l.sleeping = nil
		l.keeperWake.Wake()
	}
}

// announce wakes all that wait. A driver that announces does not sleep.
func (l *loop) announce() {
	l.news = false
	l.announced++
	l.wakeSleeper()
	if l.followers > 0 {
		close(l.changes)
		l.changes = make(chan struct{})
	}
}

// follow waits for news from the driver.
func (l *loop) follow(ctx context.Context) {
	changes := l.changes
	l.followers++
	l.mu.Unlock()
	select {
	case <-changes:
	case <-ctx.Done():
	}
	l.mu.Lock()
	l.followers--
}

// wakeSleeper wakes the driver if it sleeps.
func (l *loop) wakeSleeper() {
	if l.sleeping != nil {
		l.sleeping.Wake()
		l.sleeping = nil
	}
}

// leave ends the drive.
func (l *loop) leave() {
	l.driving = false
	l.pass()
}

// pass has somebody drive next if nobody does.
func (l *loop) pass() {
	switch {
	case l.driving || l.over:
	case l.followers > 0:
		l.announce() // one of them drives, or passes
	case !l.hired:
		l.hired = true
		l.hire <- struct{}{}
	}
}

// watch has the driver woken when the context ends. It is told once of a context that many
// calls have. A wake-up after these calls makes somebody look once in vain.
func (l *loop) watch(ctx context.Context) {
	if done := ctx.Done(); done != l.watched && done != nil {
		l.unwatch()
		l.watched, l.unwatch = done, context.AfterFunc(ctx, l.rouse)
	}
}

// rouse wakes the driver.
func (l *loop) rouse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.driverWake.Wake()
	}
}

// sleep sleeps until a packet or a timer comes, or the waker is used.
func (l *loop) sleep(w *udp.Waker) { l.sleepBy(w, longestSleep, false) }

// sleepBy is sleep for so long at most, and quietly or not: see udp.Wait. It returns true when a
// signal has disturbed a quiet sleep.
func (l *loop) sleepBy(w *udp.Waker, most time.Duration, quietly bool) (disturbed bool) {
	now, until := l.now(), protocol.Never
	for _, d := range l.drives {
		d.wake = d.e.machine.Wake()
		until = min(until, d.wake)
	}
	drives, list := l.drives, l.sockets
	if l.gathers(now) {
		until, list = l.until, nil
	} else if until <= now {
		return false
	} else {
		l.sleeping, l.sleepUntil = w, until
	}
	for _, d := range drives {
		d.users.Add(1)
	}
	l.waits++
	l.mu.Unlock()
	ready, disturbed := udp.Wait(list, w, min(time.Duration(until-now), most), quietly)
	l.mu.Lock()
	for _, d := range drives {
		d.users.Done()
		d.looks = looksPerTime - 1 // read the clock
		d.ready = d.ready || list == nil
	}
	l.note(drives, ready)
	if l.sleeping == w {
		l.sleeping = nil
	}
	return disturbed
}
