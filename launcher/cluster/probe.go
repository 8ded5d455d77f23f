package cluster

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
)

// Before a job nobody knows whether datagrams pass between the nodes: ssh uses TCP. So each agent sends one to each
// other by each device, in a check and at the start of a job.
//
//	leader: opening to all; agents open a socket on each device, and say where
//	leader: calling to all; agents send datagrams, say that they did, and say which nodes they have heard
//	leader: the time is over; agents that have not heard all say which they have
//
// A datagram says whether its sender has heard the receiver. An agent sends again, after longer and longer times,
// until it knows that both have heard each other, or it is told that the time is over. The time begins when all have
// sent, and at its end an agent takes what waits in its sockets. So a node that has no CPU makes the start longer, and
// is not taken for one that datagrams do not reach. At the start of a job an agent also says which nodes it has heard
// when datagrams pass to and from each by some device, and the others have had startExtra.

const (
	probeTime  = 3 * time.Second        // of a check
	startProbe = 8 * time.Second        // of a job, which ends if no device carries datagrams
	startExtra = time.Second            // of a job, for devices that carry none beside others that do
	probeAgain = 50 * time.Millisecond  // then twice as long, and so on
	probeLook  = 100 * time.Millisecond // the order that the time is over wakes nobody who waits for datagrams
	probeMagic = "pvasprob"
	probeSize  = len(probeMagic) + 16 + 4 + 1
)

// probe has the agents send datagrams to one another for some time by these devices of each. heard of each says which
// came. It ends early when going says so. all has it wait for each device.
func (l *leader) probe(agents []*remote, devices [][]netip.Addr, d time.Duration, all bool, going func() bool) {
	for i, a := range agents {
		a.link.Post(order{Open: &opening{devices[i]}})
	}
	l.await(agents, going, func(a *remote) bool { return a.doors != nil })
	call := calling{Doors: make([][]netip.AddrPort, len(agents)), All: all}
	rand.Read(call.Key[:]) // never fails
	for i, a := range agents {
		call.Doors[i] = a.doors
	}
	for i, a := range agents {
		to := call
		to.Self = i
		a.link.Post(order{Call: &to})
	}
	l.await(agents, going, func(a *remote) bool { return a.called || a.heard != nil })
	over := false
	end := time.AfterFunc(d, func() { l.post(func() { over = true }) })
	defer end.Stop()
	hasHeard := func(a *remote) bool { return a.heard != nil }
	l.await(agents, func() bool { return going() && !over }, hasHeard)
	for _, a := range agents {
		if !a.over {
			a.link.Post(order{CallOver: true})
		}
	}
	l.await(agents, going, hasHeard)
}

// await handles events until all agents that are not lost have answered, or going says no.
func (l *leader) await(agents []*remote, going func() bool, answered func(*remote) bool) {
	for going() && slices.ContainsFunc(agents, func(a *remote) bool { return !a.over && !answered(a) }) {
		l.next()
	}
}

// meet returns an error if datagrams do not pass between two nodes by any device, both ways. Ranks would learn of it
// only by --peer-timeout. It tells of a device by which they do not pass, while others carry them. Within one machine
// they pass.
func (l *leader) meet(devices [][]netip.Addr) error {
	if oneMachine(readies(l.agents)) {
		return nil
	}
	l.probe(l.agents, devices, startProbe, false, func() bool { return !l.over() })
	if l.over() {
		return nil
	}
	told := map[int]bool{} // devices
	for i, a := range l.agents {
		for j, b := range l.agents {
			deaf := a.deaf(b, i, j)
			alone := len(deaf) == min(len(a.doors), len(b.doors))
			for _, device := range deaf {
				from, to := devices[j][device], devices[i][device]
				switch {
				case a.heard[device][j]: // b does not hear a
				case alone:
					return &NodeError{a.name, fmt.Errorf("no datagram comes from %s, %v to %v: a firewall must let "+
						"UDP pass between the nodes on the ports of /proc/sys/net/ipv4/ip_local_port_range, or "+
						"--network or --devices name another network", b.name, from, to), fate.CodeError}
				case !told[device]:
					told[device] = true
					l.io.Say("node %s: no datagram comes from %s, %v to %v: their ranks use other devices", a.name,
						b.name, from, to)
				}
			}
		}
	}
	return nil
}

// deaf returns the devices by which datagrams do not pass both ways between a and another node b, which have the
// numbers i and j.
func (a *remote) deaf(b *remote, i, j int) (devices []int) {
	for device := range min(len(a.doors), len(b.doors)) {
		if a != b && !(a.heard[device][j] && b.heard[device][i]) {
			devices = append(devices, device)
		}
	}
	return devices
}

// A probe is an agent's part of a check.
type probe struct {
	calling
	fds     []int // by device
	by      [][]bool
	known   [][]bool // that the node has heard this one
	out     *sys.Outbox
	in      *sys.Inbox
	silent  int // so many were not heard
	unknown int // so many may not have heard this node
	over    atomic.Bool
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

// run sends datagrams, and calls sent when it has once. It says which nodes were heard, as soon as all were, or when
// the time is over. Until then it goes on as long as others may need to hear this one: its last datagram to them may
// be lost.
func (p *probe) run(c calling, sent func(), say func(*heard)) {
	p.calling = c
	for device := range p.fds {
		p.by, p.known = append(p.by, make([]bool, len(c.Doors))), append(p.known, make([]bool, len(c.Doors)))
		for node := range c.Doors {
			if p.expects(device, node) {
				p.silent, p.unknown = p.silent+1, p.unknown+1
			}
		}
	}
	p.out, p.in = sys.NewOutbox(1, p.is6()), sys.NewInbox(8)
	begin := time.Now()
	p.send()
	sent()
	next, again := probeAgain, 2*probeAgain
	tell := sync.OnceFunc(func() { say(&heard{p.heard()}) })
	for p.silent > 0 || p.unknown > 0 {
		now, over := time.Since(begin), p.over.Load()
		if p.silent == 0 || !p.All && now > startExtra && p.reached() {
			tell()
		}
		if now >= next {
			p.send()
			next, again = now+again, 2*again
		}
		p.receive(min(next-now, probeLook))
		if over {
			break // what came before was taken
		}
	}
	tell()
}

// heard returns a copy of what was heard until now.
func (p *probe) heard() (by [][]bool) {
	for _, nodes := range p.by {
		by = append(by, slices.Clone(nodes))
	}
	return by
}

// reached tells whether datagrams pass both ways between this node and each other one, by some device.
func (p *probe) reached() bool {
	for node, doors := range p.Doors {
		some := len(doors) == 0 || node == p.Self
		for device := range p.fds {
			some = some || p.by[device][node] && p.known[device][node]
		}
		if !some {
			return false
		}
	}
	return true
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
		p.silent--
	}
	switch {
	case !knows:
		p.tell(device, node)
	case !p.known[device][node]:
		p.known[device][node] = true
		p.unknown--
	}
}
