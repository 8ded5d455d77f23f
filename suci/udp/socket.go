package udp

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/suci/wire"
)

const (
	mostMessages = 64    // for one sendmmsg
	mostParts    = 1024  // heads and bodies for one sendmmsg
	mostSegments = 44    // datagrams in a message; 64 is the kernel's limit
	mostBytes    = 65000 // in a message
	inboxSize    = 8     // messages for one recvmmsg
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
	start  time.Time
	Waits  atomic.Uint64 // system calls of Wait
	Counters
}

// Counters count what the socket has done.
type Counters struct {
	Sends, Receives uint64 // system calls
	Dropped         uint64 // datagrams that the kernel did not take
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
		out: sys.NewOutbox(mostMessages, mostParts, local.Addr().Is6()), in: sys.NewInbox(inboxSize),
	}
	sys.UDPBuffers(fd, buffer)
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
func (s *Socket) Send(datagrams []wire.Datagram) {
	if len(datagrams) == 1 && len(datagrams[0].Body) == 0 {
		s.Sends++
		if s.out.SendOne(s.fd, datagrams[0].To, datagrams[0].Head) {
			return
		} // else find out below why not
	}
	for len(datagrams) > 0 {
		s.out.Reset()
		n, messages := s.collect(datagrams)
		s.Sends++
		sent, err := s.out.Send(s.fd)
		switch {
		case err == nil:
			datagrams = datagrams[n:]
		case sys.SendBusy(err):
			s.Dropped += uint64(len(datagrams))
			return
		case sys.SendUncut(err) && !s.whole && n > messages:
			s.whole = true // and try again what was not sent
			datagrams = datagrams[s.taken(datagrams, sent):]
		default: // the address cannot be reached now: as if it was lost
			skip := s.taken(datagrams, sent+1)
			s.Dropped += uint64(skip - s.taken(datagrams, sent))
			datagrams = datagrams[skip:]
		}
	}
	s.out.Reset()
}

// collect puts as many datagrams as fit into the outbox.
func (s *Socket) collect(datagrams []wire.Datagram) (n, messages int) {
	for parts := 0; n < len(datagrams) && messages < mostMessages; messages++ {
		run := s.run(datagrams[n:])
		if parts += 2 * run; parts > mostParts {
			break
		}
		segment := 0
		if run > 1 {
			segment = datagrams[n].Len()
		}
		s.out.Message(datagrams[n].To, segment)
		for _, d := range datagrams[n : n+run] {
			s.out.Part(d.Head)
			s.out.Part(d.Body)
		}
		n += run
	}
	return n, messages
}

// run is the number of datagrams that one message can carry: to one address and of one
// length, but the last may be shorter.
func (s *Socket) run(d []wire.Datagram) int {
	if s.whole {
		return 1
	}
	length := d[0].Len()
	most := min(len(d), mostSegments, mostBytes/max(length, 1))
	n := 1
	for n < most && d[n].To == d[0].To && d[n].Len() <= length {
		n++
		if d[n-1].Len() < length {
			break
		}
	}
	return n
}

// taken is the number of datagrams in so many messages.
func (s *Socket) taken(datagrams []wire.Datagram, messages int) (n int) {
	for ; messages > 0 && n < len(datagrams); messages-- {
		n += s.run(datagrams[n:])
	}
	return n
}

// Receive calls each for every datagram that has come, at most a few hundred, with the
// time of its arrival. The bytes are good during the call. It does not wait.
func (s *Socket) Receive(each func(now, arrived time.Duration, from netip.AddrPort, b []byte)) (int, error) {
	s.Receives++
	n, err := s.in.Receive(s.fd, s.expect)
	if n == 0 {
		s.expect = 1
		return 0, err
	}
	wall := time.Now()
	now := wall.Sub(s.start)
	datagrams := 0
	for i := range n {
		b, from, segment, at := s.in.Message(i)
		arrived := now
		if d := time.Duration(wall.UnixNano() - at); at != 0 && d > 0 && d < time.Second {
			arrived -= d
		}
		for len(b) > 0 {
			length := min(segment, len(b))
			each(now, arrived, from, b[:length:length])
			b = b[length:]
			datagrams++
		}
	}
	s.expect = 1
	if n > 1 || datagrams > 1 {
		s.expect = inboxSize
	}
	return datagrams, err
}

// Wait sleeps until a datagram is there, the waker's Wake is called, or the time has
// passed; a negative time is forever.
func (s *Socket) Wait(w *Waker, d time.Duration) {
	s.Waits.Add(1)
	if sys.PollReadable(s.fd, w.fd, d) {
		sys.Unsignal(w.fd)
	}
}

// WaitQuietly is Wait without the knowledge of the Go scheduler, which makes waking
// cheaper: for some milliseconds, in threads that have a slot of GOMAXPROCS to spare. It
// returns true when a signal has come: the scheduler may want the thread.
func (s *Socket) WaitQuietly(w *Waker, d time.Duration) (disturbed bool) {
	s.Waits.Add(1)
	woken, disturbed := sys.PollQuietly(s.fd, w.fd, d)
	if woken {
		sys.Unsignal(w.fd)
	}
	return disturbed
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
