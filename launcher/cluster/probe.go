package cluster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// Before a job nobody knows whether datagrams pass between the nodes: ssh uses TCP. So a check makes each agent send
// one to each other, by each device that a job would use:
//
//	leader: opening to all; agents open a socket on each device, and say where
//	leader: calling to all; agents send datagrams, and say which nodes they have heard
//
// A datagram says whether its sender has heard the receiver. An agent sends again, after longer and longer times,
// until it knows that both have heard each other, or probeTime is over.

// An opening makes an agent open its sockets.
type opening struct{ Devices []netip.Addr }

// A calling makes an agent send datagrams.
type calling struct {
	Key   [16]byte           // of this check: others are not heard
	Self  int                // number of the node
	Doors [][]netip.AddrPort // of each node: a socket for each device; nil: it is lost
}

// doors answers an opening.
type doors struct{ At []netip.AddrPort }

// heard answers a calling: which nodes the agent has heard, by device and node.
type heard struct{ By [][]bool }

const (
	probeTime  = 3 * time.Second
	probeAgain = 50 * time.Millisecond // then twice as long, and so on
	probeMagic = "pvasprob"
	probeSize  = len(probeMagic) + 16 + 4 + 1
)

// A probe is an agent's part of a check.
type probe struct {
	calling
	fds     []int // by device
	by      [][]bool
	known   [][]bool // that the node has heard this one
	out     *sys.Outbox
	in      *sys.Inbox
	waiting int // for so many to be heard, and to know that they have heard this node
}

// open opens the sockets.
func (p *probe) open(devices []netip.Addr) (*doors, error) {
	d := &doors{}
	for _, addr := range devices {
		fd, err := sys.UDPSocket(netip.AddrPortFrom(addr, 0))
		if err != nil {
			return nil, fmt.Errorf("launcher: socket for datagrams on %v: %w", addr, err)
		}
		p.fds = append(p.fds, fd)
		at, err := sys.LocalAddress(fd)
		if err != nil {
			return nil, err
		}
		d.At = append(d.At, at)
	}
	return d, nil
}

func (p *probe) close() {
	for _, fd := range p.fds {
		_ = sys.CloseFD(fd) // nothing is lost
	}
	p.fds = nil
}

// run sends datagrams, and returns which nodes were heard.
func (p *probe) run(c calling) *heard {
	p.calling = c
	for device := range p.fds {
		p.by, p.known = append(p.by, make([]bool, len(c.Doors))), append(p.known, make([]bool, len(c.Doors)))
		for node := range c.Doors {
			if p.expects(device, node) {
				p.waiting += 2
			}
		}
	}
	p.out, p.in = sys.NewOutbox(1, p.is6()), sys.NewInbox(8)
	begin := time.Now()
	next, again := time.Duration(0), probeAgain
	for p.waiting > 0 {
		now := time.Since(begin)
		if now >= probeTime {
			break
		}
		if now >= next {
			p.send()
			next, again = now+again, 2*again
		}
		p.receive(min(next, probeTime) - now)
	}
	return &heard{p.by}
}

// is6 tells whether sockets are of IPv6.
func (p *probe) is6() bool { return len(p.Doors[p.Self]) > 0 && p.Doors[p.Self][0].Addr().Is6() }

// expects tells whether the node has a socket for the device.
func (p *probe) expects(device, node int) bool { return node != p.Self && device < len(p.Doors[node]) }

// send sends to all that this node waits for.
func (p *probe) send() {
	for device := range p.fds {
		for node := range p.Doors {
			if p.expects(device, node) && !(p.by[device][node] && p.known[device][node]) {
				p.tell(device, node)
			}
		}
	}
}

// tell sends one datagram. A failure shows by its effect.
func (p *probe) tell(device, node int) {
	b := append([]byte(probeMagic), p.Key[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Self))
	b = append(b, 0)
	if p.by[device][node] {
		b[len(b)-1] = 1
	}
	p.out.SendOne(p.fds[device], p.Doors[node][device], b)
}

// receive takes what comes within the time.
func (p *probe) receive(d time.Duration) {
	var set sys.PollSet
	for _, fd := range p.fds {
		set.Add(fd)
	}
	set.Wait(max(d, 0))
	for device, fd := range p.fds {
		for {
			n, err := p.in.Receive(fd, 8) // an error is one of an earlier send: nobody listens there any more
			if n == 0 || err != nil {
				break
			}
			for i := range n {
				b, _, _, _ := p.in.Message(i)
				p.take(device, b)
			}
		}
	}
}

// take notes which node has sent a datagram, and tells a node that does not know it that it was heard.
func (p *probe) take(device int, b []byte) {
	rest, ok := bytes.CutPrefix(b, append([]byte(probeMagic), p.Key[:]...))
	if !ok || len(b) != probeSize {
		return
	}
	node, knows := int(binary.LittleEndian.Uint32(rest)), rest[4] != 0
	if node >= len(p.Doors) || !p.expects(device, node) {
		return
	}
	if !p.by[device][node] {
		p.by[device][node] = true
		p.waiting--
	}
	switch {
	case !knows:
		p.tell(device, node)
	case !p.known[device][node]:
		p.known[device][node] = true
		p.waiting--
	}
}
