package devices

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/suci"
)

const (
	messageLane = 4 // priorities of suci; grants and short messages overtake bytes
	bytesLane   = 2
)

// Set is the devices of a rank. The lock of the engine orders all calls. The words that it shares with the goroutines
// of endpoints are atomic.
//
// A rank may have two, each with a lock of its own. Whom one of them needs and cannot reach is lost to both (Failed).
// That of messages needs all peers, and tells the supervisor who is silent. That of windows says whom it needs (Need):
// other peers may have closed theirs.
type Set struct {
	root  *job.Root
	rank  int
	list  []*device
	plans plans
	peers []*Peer

	// See Options.
	windows    bool
	queueLimit int
	peer       func(suci.ID) *Peer
	where      func(rank int) []netip.AddrPort
	read       func(p *Peer, r suci.Received)

	groups        []*group
	queued        int  // bytes in the queues of all devices
	startable     bool // a device may take a piece of its queue: see pump
	sparePieces   []*piece
	spareMessages []*sentMessage
	ended         atomic.Uint64 // pieces that have left this rank, or never will
	seen          uint64        // of them

	ailing  atomic.Int32 // paths that are; the rank writes it
	retryAt time.Time
	changes struct {
		mu   sync.Mutex
		list []Change
	}
	disturbed atomic.Bool
	failed    *atomic.Pointer[error]
	closed    atomic.Bool
}

// Options are what the devices of a rank are opened with. The rank's inbox is signalled when something is to be looked
// at: see Disturbed and Failed.
type Options struct {
	Root      *job.Root
	Rank      int
	Addresses []netip.Addr // of the devices
	Windows   bool         // this is the Set of windows
	Messages  *Set         // that of messages, for the one of windows; nil: there is none
	Form      exchange.Form
	Suci      suci.Options // but for what each device has for itself; QueueLimit must be set
	Locate    func(device int, from suci.ID, place uint32, length int) []byte

	Peer  func(suci.ID) *Peer             // nil: there is none
	Where func(rank int) []netip.AddrPort // by device; nil: not known yet
	Read  func(p *Peer, r suci.Received)  // gets the messages of a peer in their order
}

// Open opens the devices. On an error it closes those that it has opened.
func Open(o Options) (*Set, error) {
	s := &Set{root: o.Root, rank: o.Rank, windows: o.Windows, queueLimit: o.Suci.QueueLimit, peer: o.Peer,
		where: o.Where, read: o.Read, failed: &atomic.Pointer[error]{}}
	if o.Messages != nil {
		s.failed = o.Messages.failed
	}
	s.plans.form = o.Form
	for number, addr := range o.Addresses {
		d := &device{root: o.Root, rank: o.Rank, number: number, best: &s.plans.best}
		with := o.Suci
		with.Listen = netip.AddrPortFrom(addr, 0)
		with.OnChange = func(id suci.ID, what suci.Change) { s.onChange(number, id, what) }
		if o.Locate != nil {
			with.Locate = func(from suci.ID, place uint32, length int) []byte {
				return o.Locate(number, from, place, length)
			}
		}
		if number > 0 {
			with.With = s.list[0].endpoint
		}
		var err error
		if d.endpoint, err = suci.Open(with); err != nil {
			_ = s.Close()
			return nil, fmt.Errorf("device %d: %w", number, err)
		}
		s.list = append(s.list, d)
		s.plans.devices = s.list
	}
	return s, nil
}

// Close closes the devices. What was not acknowledged is lost.
func (s *Set) Close() (err error) {
	s.closed.Store(true)
	for _, d := range s.list {
		err = errors.Join(err, d.endpoint.Close())
	}
	return err
}

// Addresses are where the devices are reached.
func (s *Set) Addresses() (at []netip.AddrPort) {
	for _, d := range s.list {
		at = append(at, d.endpoint.Addr())
	}
	return at
}

// Endpoint is that of a device. Poll and Rest of device 0 are those of all devices.
func (s *Set) Endpoint(device int) *suci.Endpoint { return s.list[device].endpoint }

// Rest rests in the sockets of all devices: see suci.Endpoint.Rest. It does so no longer than until a path that is down
// is to be tried again, or one that is doubted taken down: nobody else wakes the rank for that, and it may be the only
// path that is left.
func (s *Set) Rest(limit time.Duration, quietly bool, stop func() bool) (woken bool, err error) {
	if s.Ailing() {
		limit = min(limit, PathTime)
	}
	return s.list[0].endpoint.Rest(limit, quietly, stop)
}

// Several tells whether this rank has more than one device.
func (s *Set) Several() bool { return len(s.list) > 1 }

// Next returns a block that the endpoint of a device has taken in.
func (s *Set) Next() (device int, r suci.Received, ok bool) {
	for _, d := range s.list {
		if r, ok = d.endpoint.Next(); ok {
			return d.number, r, true
		}
	}
	return 0, r, false
}

// News tells whether messages wait for Next, or Disturbed. It takes no lock: stop of suci's Rest may call it.
func (s *Set) News() bool {
	return s.Disturbed() || slices.ContainsFunc(s.list, func(d *device) bool { return d.endpoint.Unread() > 0 })
}

// Received counts bytes that have come by a device.
func (s *Set) Received(device, bytes int) { s.list[device].count(0, bytes) }

// Busy tells whether something is under way, or paths are to be looked at.
func (s *Set) Busy() bool {
	if s.queued > 0 || s.Ailing() || s.disturbed.Load() {
		return true
	}
	for _, d := range s.list {
		if len(d.queue)+len(d.flying) > 0 {
			return true
		}
	}
	return false
}

// Ailing tells whether there are paths to be looked at within PathTime.
func (s *Set) Ailing() bool { return s.ailing.Load() > 0 }

// Failed is why the rank cannot go on, nil if it can. Any goroutine may call it.
func (s *Set) Failed() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Fail notes that a peer cannot be reached, for good.
func (s *Set) Fail(p *Peer, err error) {
	if s.closed.Load() {
		return // that is why
	}
	err = s.Unreachable(p, err)
	p.failed.CompareAndSwap(nil, &err)
	if !s.windows {
		s.failed.CompareAndSwap(nil, &err)
	}
	s.root.Inbox(s.rank).Signal()
}

// Need is Failed for a rank that needs a peer. Any goroutine may call it.
func (s *Set) Need(p *Peer) error {
	if err := p.failed.Load(); err != nil {
		s.failed.CompareAndSwap(nil, err)
	}
	return s.Failed()
}

// UnreachableError says that packets to a rank are not answered.
type UnreachableError struct {
	Rank int
	Addr netip.AddrPort
	Err  error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("net: send to rank %d at %v: %v; its node was suspended for --peer-timeout, or a "+
		"firewall stops UDP, or --network names one that not all nodes share", e.Rank, e.Addr, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Unreachable is the error of a peer that cannot be reached.
func (s *Set) Unreachable(p *Peer, err error) error {
	e := &UnreachableError{Rank: p.rank, Err: err}
	if at := s.where(p.rank); at != nil {
		e.Addr = at[0]
	}
	return e
}
