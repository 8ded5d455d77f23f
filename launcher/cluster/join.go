package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// Agents that were started by others (see RunPMI) connect to the leader by TCP. The connection
// is sealed by the job's secret, so only they can. Its first record is the number of the node. The leader answers with
// the same number if it takes the agent: another service at an address of the leader's cannot.

// The leader's kernel has joinTime to accept an agent's connection. Then both have startTime to prove that they have
// the secret: either may get no CPU. No more than mostStrangers connections do so at a time. Who connects again and
// again could hold these with a shorter time, too.
const (
	joinTime      = 10 * time.Second
	mostStrangers = 64
)

// joined is the connection of one agent. Reads and writes wait until it has connected.
type joined struct {
	mu     sync.Mutex
	conn   *wire.Sealed  // nil: it has not connected
	ready  chan struct{} // closed when it has, or never will
	closed bool
}

func newJoined() *joined { return &joined{ready: make(chan struct{})} }

// take is handed a connection, and answers the agent. It refuses a second one.
func (j *joined) take(conn *wire.Sealed, answer []byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.conn != nil {
		return false
	}
	if _, err := conn.Write(answer); err != nil {
		return false
	}
	j.conn = conn
	close(j.ready)
	return true
}

func (j *joined) get() (*wire.Sealed, error) {
	<-j.ready
	if j.conn == nil {
		return nil, os.ErrClosed
	}
	return j.conn, nil
}

// Read implements io.Reader.
func (j *joined) Read(b []byte) (int, error) {
	conn, err := j.get()
	if err != nil {
		return 0, err
	}
	return conn.Read(b)
}

// Write implements io.Writer.
func (j *joined) Write(b []byte) (int, error) {
	conn, err := j.get()
	if err != nil {
		return 0, err
	}
	return conn.Write(b)
}

// Close implements io.Closer. It ends waits.
func (j *joined) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if j.conn == nil {
		close(j.ready)
		return nil
	}
	return j.conn.Close()
}

// A door is where agents connect to the leader.
type door struct {
	listener *os.File
	port     uint16
	secret   []byte
	agents   map[int]*joined // by number of the node
}

func openDoor(secret []byte, agents map[int]*joined) (*door, error) {
	listener, at, err := sys.ListenTCP(netip.AddrPortFrom(netip.IPv6Unspecified(), 0))
	if err != nil { // a system without IPv6
		listener, at, err = sys.ListenTCP(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
	}
	if err != nil {
		return nil, fmt.Errorf("launcher: connection of the nodes: %w", err)
	}
	return &door{listener, at.Port(), secret, agents}, nil
}

// serve admits agents until the door is closed.
func (d *door) serve() {
	places := make(chan struct{}, mostStrangers)
	for {
		conn, err := sys.AcceptTCP(d.listener)
		if err != nil {
			return
		}
		select {
		case places <- struct{}{}:
			go func() {
				if !d.admit(conn) {
					conn.Close()
				}
				<-places
			}()
		default:
			conn.Close()
		}
	}
}

// admit lets an agent in that proves itself.
func (d *door) admit(conn *os.File) bool {
	if conn.SetDeadline(time.Now().Add(startTime)) != nil {
		return false
	}
	s, err := wire.Seal(conn, d.secret, true)
	if err != nil {
		return false
	}
	var number [4]byte
	if _, err := io.ReadFull(s, number[:]); err != nil || conn.SetDeadline(time.Time{}) != nil {
		return false
	}
	a := d.agents[int(binary.LittleEndian.Uint32(number[:]))]
	return a != nil && a.take(s, number[:])
}

func (d *door) close() { d.listener.Close() }

// joinLeader connects this agent to the leader, at the first of its addresses that has the
// secret. It returns the connection below as well.
func joinLeader(at []netip.AddrPort, secret []byte, number int) (*wire.Sealed, sys.Stream, error) {
	attempts, over := make(chan attempt), make(chan struct{})
	connected := make(chan struct{}, len(at))
	defer close(over)
	for _, address := range at {
		go func() {
			a := introduce(address, secret, number, connected)
			select {
			case attempts <- a:
			case <-over: // by another address
				if a.err == nil {
					a.s.Close()
				}
			}
		}()
	}
	late := time.After(joinTime)
	err := errors.New("it has no address")
	for left := len(at); left > 0; {
		select {
		case a := <-attempts:
			if err = a.err; err == nil {
				return a.s, a.below, nil
			}
			left--
		case <-connected:
			late = nil
		case <-late:
			err, left = fmt.Errorf("%w (%v)", errSilent, joinTime), 0
		}
	}
	return nil, sys.Stream{},
		fmt.Errorf("launcher: connect to the leader at %v: %w: a firewall must let TCP pass to it", at, err)
}

// attempt is what has come of one of the addresses.
type attempt struct {
	s     *wire.Sealed
	below sys.Stream
	err   error
}

func introduce(to netip.AddrPort, secret []byte, number int, connected chan<- struct{}) (a attempt) {
	conn, err := sys.DialTCP(to)
	if err != nil {
		return attempt{err: err}
	}
	connected <- struct{}{}
	defer func() {
		if a.err != nil {
			conn.Close()
		}
	}()
	if err := conn.SetDeadline(time.Now().Add(startTime)); err != nil {
		return attempt{err: err}
	}
	s, err := wire.Seal(conn, secret, false)
	if err != nil {
		return attempt{err: err}
	}
	own, answer := binary.LittleEndian.AppendUint32(nil, uint32(number)), make([]byte, 4)
	if _, err := s.Write(own); err != nil {
		return attempt{err: err}
	}
	if _, err := io.ReadFull(s, answer); err != nil {
		return attempt{err: err}
	}
	return attempt{s, sys.StreamOf(conn), conn.SetDeadline(time.Time{})}
}
