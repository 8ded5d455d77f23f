package udp

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

const (
	mostMessages = 64 // for one sendmmsg
	inboxSize    = 8  // messages for one recvmmsg

	// Long messages are received one by one, each to the same memory, which so stays in the cache.
	longMessage = 16 << 10
)

// Socket is a UDP socket. Calls must not overlap, except that Wait may run beside all
// others, also more than once.
type Socket struct {
	fd     int
	local  netip.AddrPort
	out    *sys.Outbox
	in     *sys.Inbox
	expect int  // messages that the next Receive asks for
	whole  bool // UDP_SEGMENT does not work
	loose  bool // the network may cut what is sent now
	long   bool // see TooLong
	start  time.Time
	health atomic.Int32 // of receiving; Wait reads it, too
	Counters
}

// The health of a socket. An error of receiving counts as a loss, like an error of sending. The error may repeat at
// once and without end, and poll(2) does not sleep while it does. So the next Wait leaves the socket out for
// failurePause, and then it is read again. A socket that is broken is left out for good.
const (
	sound = iota
	failing
	broken
)

// failurePause is how long Wait leaves a socket alone that is failing.
const failurePause = time.Millisecond

// Counters count what the socket has done.
type Counters struct {
	Sends, Receives uint64 // system calls
	Received        uint64 // bytes of datagrams; an empty one counts as one
	Dropped         uint64 // datagrams that the kernel did not take
	Failures        uint64 // errors of receiving
}

// Open binds a socket and gives it buffers of the given size, as far as the system's
// limits allow. Times are counted from start.
func Open(local netip.AddrPort, buffer int, start time.Time) (*Socket, error) {
	fd, err := sys.UDPSocket(local)
	if err != nil {
		return nil, fmt.Errorf("suci/udp: open socket: %w", err)
	}
	s := &Socket{
		fd: fd, start: start, expect: 1,
		out: sys.NewOutbox(mostMessages, local.Addr().Is6()), in: sys.NewInbox(inboxSize),
	}
	sys.UDPBuffers(fd, buffer)
	sys.UDPFragments(fd, local.Addr().Is6(), false)
	if err = sys.UDPCoalesce(fd); err == nil {
		s.local, err = sys.LocalAddress(fd)
	}
	if err != nil {
		_ = sys.CloseFD(fd)
		return nil, fmt.Errorf("suci/udp: open socket: %w", err)
	}
	return s, nil
}

// Local is the address that the socket is bound to.
func (s *Socket) Local() netip.AddrPort { return s.local }

// Close closes the socket. No other call may run or follow.
func (s *Socket) Close() error { return sys.CloseFD(s.fd) }

// Send sends the datagrams. The memory is the caller's again when it returns.
func (s *Socket) Send(trains []wire.Train) {
	if len(trains) == 1 && trains[0].One() && trains[0].Loose == s.loose {
		s.Sends++
		if s.out.SendOne(s.fd, trains[0].To, trains[0].Bytes) {
			return
		} // else find out below why not
	}
	for len(trains) > 0 {
		if s.whole && !trains[0].One() {
			s.sendSingly(&trains[0])
			trains = trains[1:]
			continue
		}
		if s.loose != trains[0].Loose {
			s.loose = trains[0].Loose
			sys.UDPFragments(s.fd, s.local.Addr().Is6(), s.loose)
		}
		s.out.Reset()
		n := s.collect(trains)
		s.Sends++
		sent, err := s.out.Send(s.fd)
		switch {
		case err == nil:
			trains = trains[n:]
			continue
		case sys.SendBusy(err):
			s.drop(trains[sent:])
			return
		case sys.SendUncut(err) && !trains[sent].One():
			s.sendUncut(&trains[sent])
			sent++
		case sys.SendTooLong(err) && !trains[sent].Loose:
			s.long = true
			fallthrough
		default: // the address cannot be reached now: as if it was lost
			s.drop(trains[sent : sent+1])
			sent++
		}
		trains = trains[sent:]
	}
	s.out.Reset()
}

// collect puts as many trains as fit into the outbox; without UDP_SEGMENT only those of one
// datagram.
func (s *Socket) collect(trains []wire.Train) (n int) {
	for ; n < min(len(trains), mostMessages); n++ {
		t := &trains[n]
		if t.Loose != s.loose {
			return n
		}
		switch {
		case t.One():
			s.out.Message(t.To, 0, t.Bytes)
		case s.whole:
			return n
		default:
			s.out.Message(t.To, t.Length, t.Bytes)
		}
	}
	return n
}

// sendUncut sends the datagrams of a train singly, because the kernel has refused the train. If it refuses one of them
// for its length, or may fragment them, the length is the cause, and UDP_SEGMENT may work for the next train. Otherwise
// UDP_SEGMENT does not work.
func (s *Socket) sendUncut(t *wire.Train) {
	long := s.long
	s.long = false
	s.sendSingly(t)
	s.whole = s.whole || !s.long && !t.Loose
	s.long = s.long || long
}

// TooLong tells whether a device has refused datagrams since the last call because they were too long. They were
// dropped.
func (s *Socket) TooLong() bool {
	long := s.long
	s.long = false
	return long
}

// sendSingly sends the datagrams of a train as messages of their own.
func (s *Socket) sendSingly(t *wire.Train) {
	var cars [wire.MostCars]wire.Train
	n := 0
	for b := range t.All() {
		cars[n] = wire.Train{To: t.To, Length: len(b), Bytes: b, Loose: t.Loose}
		n++
	}
	s.Send(cars[:n])
}

// drop counts what the kernel did not take.
func (s *Socket) drop(trains []wire.Train) {
	for _, t := range trains {
		s.Dropped += uint64(t.Count())
	}
}

// Longest is the greatest length in bytes of a datagram to an address that the devices and routes of this node allow;
// most if these are not known.
func (s *Socket) Longest(to netip.AddrPort, most int) int {
	n, err := sys.UDPLongest(s.local.Addr(), to)
	if err != nil {
		return most
	}
	return n
}

// Queued is how many bytes of memory are taken by what the device has not sent yet; 0 if the kernel
// does not say.
func (s *Socket) Queued() int { return sys.UDPQueued(s.fd) }

// Arrived is an upper bound of Counters.Received at the moment when all datagrams are received that have come until
// now.
func (s *Socket) Arrived() uint64 { return s.Received + uint64(sys.UDPUnread(s.fd)) }

// Taker takes what a socket receives.
type Taker interface {
	// Train takes one datagram or several from one address, with the time of the arrival. All
	// are of one length but the last, which may be shorter. The bytes are good during the call.
	Train(now, arrived time.Duration, from netip.AddrPort, b []byte, length int)
	// Landing returns where the bytes of the next datagrams are wanted, or nil.
	Landing() (to []byte)
	// Row takes datagrams that have come there, as Train does. It returns how many bytes of them
	// were wanted there; the others come by Train, from other memory.
	Row(now, arrived time.Duration, b []byte, length int) (taken int)
}

// Receive hands over what has come, at most a few hundred datagrams. It returns how many have come.
// It does not wait. After an error the socket cannot receive again.
func (s *Socket) Receive(t Taker) (int, error) {
	s.Receives++
	if to := t.Landing(); to != nil {
		return s.receiveInto(t, to)
	}
	n, err := s.in.Receive(s.fd, s.expect)
	if n == 0 {
		s.expect = 1
		return 0, s.failed(err)
	}
	wall := time.Now()
	datagrams, bytes := 0, 0
	for i := range n {
		b, from, segment, at := s.in.Message(i)
		now, arrived := s.times(wall, at)
		t.Train(now, arrived, from, b, segment)
		datagrams += (len(b) + segment - 1) / segment
		bytes += max(len(b), 1)
	}
	s.Received += uint64(bytes)
	s.expect = 1
	if datagrams > 1 && bytes < n*longMessage {
		s.expect = inboxSize
	}
	return datagrams, nil
}

// failed notes an error of receiving, and returns it if the socket is broken.
func (s *Socket) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case sys.ReceiveBroken(err):
		s.health.Store(broken)
		return fmt.Errorf("suci/udp: receive at %v: %w; something has closed or replaced the descriptor: "+
			"open another endpoint", s.local, err)
	}
	s.Failures++
	s.health.Store(failing)
	return nil
}

// receiveInto receives one message to where it is foreseen.
func (s *Socket) receiveInto(t Taker, to []byte) (int, error) {
	ok, err := s.in.ReceiveInto(s.fd, to)
	if !ok {
		return 0, s.failed(err)
	}
	n, from, segment, at := s.in.Into()
	now, arrived := s.times(time.Now(), at)
	taken := t.Row(now, arrived, to[:min(n, len(to))], segment)
	if b := s.in.Rest(to, taken); len(b) > 0 {
		t.Train(now, arrived, from, b, segment)
	}
	s.expect = 1
	s.Received += uint64(max(n, 1))
	return (n + segment - 1) / segment, nil
}

// times returns the time, and that of an arrival, of which the kernel has given the wall-clock time
// (0: not).
func (s *Socket) times(wall time.Time, at int64) (now, arrived time.Duration) {
	now = wall.Sub(s.start)
	arrived = now
	if d := time.Duration(wall.UnixNano() - at); at != 0 && d > 0 && d < time.Second {
		arrived -= d
	}
	return now, arrived
}

// MostSockets is how many sockets Wait takes.
const MostSockets = sys.MostPolled - 1

// Wait sleeps until one of the sockets has a datagram, the waker (or nil) wakes it, a signal has come,
// or the time has passed. A negative time is forever. ready has a bit for each socket that
// may have a datagram.
//
// quietly keeps the Go scheduler from learning of the sleep, which makes waking cheaper. It is for some
// milliseconds, in threads that have a slot of GOMAXPROCS to spare, and the time must not be negative.
// disturbed is true then if a signal has come: the scheduler may want the thread.
func Wait(sockets []*Socket, w *Waker, d time.Duration, quietly bool) (ready uint64, disturbed bool) {
	var set sys.PollSet
	var paused uint64
	for i, s := range sockets {
		fd := s.fd
		switch s.health.Load() {
		case failing:
			s.health.CompareAndSwap(failing, sound)
			paused |= 1 << i
			fallthrough
		case broken:
			fd = -1
		}
		set.Add(fd)
	}
	if paused != 0 && (d < 0 || d > failurePause) {
		d = failurePause
	}
	if w != nil {
		set.Add(w.fd)
	}
	if quietly {
		disturbed = set.WaitQuietly(d)
	} else {
		set.Wait(d)
	}
	for i, s := range sockets {
		if set.Readable(i) {
			ready |= 1 << i
		}
		if set.Failing(i) {
			s.health.CompareAndSwap(sound, failing)
		}
	}
	ready |= paused
	if w != nil && set.Readable(len(sockets)) {
		sys.Unsignal(w.fd)
	}
	return ready, disturbed
}

// Waker ends a Wait. Each goroutine that waits has one of its own.
type Waker struct{ fd int }

// NewWaker returns a waker, which must be closed.
func NewWaker() (*Waker, error) {
	fd, err := sys.EventFD()
	if err != nil {
		return nil, fmt.Errorf("suci/udp: make waker: %w", err)
	}
	return &Waker{fd}, nil
}

// Wake ends the Wait that runs, or the next one.
func (w *Waker) Wake() { sys.Signal(w.fd) }

// Close frees the waker. Nobody may use it then.
func (w *Waker) Close() error { return sys.CloseFD(w.fd) }
