package neighbour

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// Supervisors on different nodes link up by TCP. Such a link is sealed by the user's key, so each proves to the other
// that it is of the same user before either says anything. The name of a port has the addresses of its supervisor.

const (
	// mostAddresses bounds the name of a port: MPICH's programs have room for 255 characters.
	mostAddresses = 3

	// mostStrangers is how many connections may be open that have not greeted. A further one ends the oldest.
	mostStrangers = 16

	silence = 10 * time.Second // of the kernel at the other end, then the link ends
)

// openFar has supervisors on other nodes find the door, if they can: a machine may have no network.
func (d *Door) openFar() {
	machine, _, err := sys.Addresses()
	if err != nil {
		return
	}
	listener, at, err := sys.ListenTCP(netip.AddrPortFrom(netip.IPv6Unspecified(), 0))
	if err != nil { // a system without IPv6
		listener, at, err = sys.ListenTCP(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
	}
	if err != nil {
		return
	}
	d.far, d.port = listener, at.Port()
	for _, p := range machine {
		if !p.Addr().IsLoopback() && len(d.At) < mostAddresses {
			d.At = append(d.At, netip.AddrPortFrom(p.Addr(), at.Port()))
		}
	}
}

// serveFar hands links from other nodes to admit, which returns when the other side has greeted or was turned away. It
// runs until Close.
func (d *Door) serveFar(admit func(*Link)) {
	var s strangers
	defer s.close()
	for {
		conn, err := sys.AcceptTCP(d.far)
		if err != nil {
			return
		}
		s.add(conn)
		s.greeting.Go(func() {
			defer s.remove(conn)
			if l, err := seal(conn, true); err == nil {
				admit(l)
			}
		})
	}
}

// strangers are connections whose other sides have not greeted, the oldest first.
type strangers struct {
	mu       sync.Mutex
	list     []*os.File
	greeting sync.WaitGroup
}

// close ends them all.
func (s *strangers) close() {
	s.mu.Lock()
	for _, conn := range s.list {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.greeting.Wait()
}

func (s *strangers) add(conn *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list = append(s.list, conn); len(s.list) > mostStrangers {
		_ = s.list[0].Close()
		s.list = s.list[1:]
	}
}

func (s *strangers) remove(conn *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(c *os.File) bool { return c == conn })
}

// seal makes a link of a connection. On an error it closes that.
func seal(conn *os.File, leads bool) (*Link, error) {
	key, err := userKey()
	if err == nil {
		err = sys.KeepAlive(conn, silence)
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(Patience))
	}
	var s *wire.Sealed
	if err == nil {
		s, err = wire.Seal(patient{conn}, key, leads)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Link{conn, sys.StreamOf(conn).There.Addr(), wire.New(s, bufio.NewWriter(s))}, nil
}

// reachFar greets the job with an ID at the first of some addresses where it is.
func reachFar(at []netip.AddrPort, own Hello, id uint64) (l *Link, other Hello, err error) {
	type attempt struct {
		l     *Link
		other Hello
		err   error
	}
	attempts, over := make(chan attempt), make(chan struct{})
	defer close(over)
	for _, a := range at {
		go func() {
			var t attempt
			conn, err := sys.DialTCP(a)
			if err == nil {
				t.l, err = seal(conn, false)
			}
			if err == nil {
				t.other, err = t.l.greet(own, id)
			}
			t.err = err
			select {
			case attempts <- t:
			case <-over:
				if err == nil {
					t.l.Close()
				}
			}
		}()
	}
	var why []error
	for range at {
		t := <-attempts
		if t.err == nil {
			return t.l, t.other, nil
		}
		if errors.Is(t.err, io.EOF) {
			t.err = errors.New("it has ended the connection: give its user the same ~/.gopvas/key")
		}
		why = append(why, t.err)
	}
	return nil, other, fmt.Errorf("its pvasrun at %v: %w", at, errors.Join(why...))
}
