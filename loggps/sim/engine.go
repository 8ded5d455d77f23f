package sim

import (
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// lane is a CPU of a rank. Unless ranks share CPUs it is a CPU.
type lane struct {
	line
	seen float64 // all time before is accounted for
	used Breakdown
}

// pending is what an idle CPU waits for.
type pending struct {
	cause Cause
	op    graph.ID
}

// nic has two sides, which serve sends and arrivals.
type nic struct{ out, in line }

type engine struct {
	g     *graph.Graph
	opt   Options
	links []loggps.Params
	now   float64

	events *agenda
	number uint32
	ops    []state
	pend   map[uint32]uint32 // by Wait: what it still awaits; nil without Waits
	lanes  []lane            // by rank and CPU
	nics   []nic             // by rank and NIC
	shared []sharedCPU       // by node and CPU, if ranks share them
	cpus   int               // of a node, of those
	left   map[uint32]float64
	match  *matcher
	finish []float64 // by rank: when an operation completed that did not occupy a CPU then
	tail   []pending // by rank: what a CPU has waited for that is idle until then
	done   int
	msgs   int

	nodes  int
	within []int // by rank: as which rank of its node; nil: there is one node

	wires    []wire // by rank or node, and NIC; nil: messages share no bandwidth
	wireNICs int
	queued   map[uint32]behind // by send: what waits for its wire
	outs     []gap             // by rank or node, and NIC; nil: a sender has no gap
	gone     map[uint32]gap    // by send that has waited for the gap of another one

	sending []span             // by rank: its last message; nil: messages that cross take no longer
	crossed map[uint32]float64 // by send: how much longer it has taken, because it crossed another

	stood *line // in which the present event had waited
	ready [2]readyList
	log   *log
}

// readyList is operations of a rank that have become ready by the present event.
type readyList struct {
	rank int32
	ids  []uint32
}

// Run simulates a graph. It returns a *StuckError if operations cannot complete.
func Run(g *graph.Graph, opt Options) (*Result, error) {
	if err := opt.check(g); err != nil {
		return nil, err
	}
	e := newEngine(g, opt)
	e.begin()
	for e.number < math.MaxUint32 {
		ev := e.events.take()
		if ev == never {
			break
		}
		if ev.mark() == markShared {
			ev.t = tried(ev.t)
		}
		e.now = ev.t
		e.step(ev)
		if e.stood != nil {
			e.stood.promote(e.events, e.now)
			e.stood = nil
		}
		e.flush()
	}
	if e.number == math.MaxUint32 {
		return nil, fmt.Errorf("sim: %s: more than 2^32 events; simulate a part of the program", g.Name)
	}
	if err := e.stuck(); err != nil {
		return nil, err
	}
	return e.result(), nil
}

func newEngine(g *graph.Graph, opt Options) *engine {
	e := &engine{
		g: g, opt: opt,
		ops:    make([]state, g.Len()),
		lanes:  make([]lane, g.Ranks()*g.CPUs()),
		events: newAgenda(),
		match:  newMatcher(g),
		finish: make([]float64, g.Ranks()),
		tail:   make([]pending, g.Ranks()),
	}
	for _, l := range opt.Machine.Links {
		p := l.Params
		if opt.Synchronous {
			p.Sync = -1
		}
		if opt.Mode == logGP {
			p.Sync = loggps.Unlimited
		}
		if opt.Ideal {
			p = loggps.Params{Packet: loggps.Unlimited, Sync: loggps.Unlimited}
		}
		e.links = append(e.links, p)
		if p.Residual != nil && opt.Mode != LogGOPS && e.sending == nil {
			e.sending, e.crossed = make([]span, g.Ranks()), map[uint32]float64{}
		}
	}
	if g.NICs() > graph.Free {
		e.links = append(e.links, loggps.Params{Packet: loggps.Unlimited, Sync: loggps.Unlimited})
	}
	if opt.Mode == LogGOPS {
		e.nics = make([]nic, g.Ranks()*g.NICs())
	} else if g.HasWaits() {
		e.pend = make(map[uint32]uint32, waits(g))
	}
	if opt.Record {
		e.log = newLog(g.Len(), opt.Mode)
	}
	e.placeRanks()
	e.makeShared()
	e.makeWires()
	for id := range g.Len() {
		for _, d := range g.Dependents(graph.ID(id)) {
			if d.Dep() == graph.Awaits && e.pend != nil {
				e.pend[uint32(d.ID())]++
			} else {
				e.ops[d.ID()].own++ // its need
			}
		}
	}
	return e
}

// waits is how many Waits there are.
func waits(g *graph.Graph) (n int) {
	for id := range graph.ID(g.Len()) {
		if g.Op(id).Kind == graph.Wait {
			n++
		}
	}
	return n
}

// placeRanks says on which node each rank is, and as which rank of it. Both are nil where one node has all.
func (e *engine) placeRanks() {
	m, ranks := &e.opt.Machine, e.g.Ranks()
	e.nodes = 1
	if m.Nodes == nil && m.RanksPerNode > 0 {
		m.Nodes = make([]int, ranks)
		for r := range ranks {
			m.Nodes[r] = r / m.RanksPerNode
		}
	}
	if len(m.Nodes) == 0 {
		return
	}
	e.nodes = slices.Max(m.Nodes) + 1
	there := make([]int, e.nodes)
	e.within = make([]int, ranks)
	for r, node := range m.Nodes {
		e.within[r] = there[node]
		there[node]++
	}
}

// makeShared makes the CPUs of each node that its ranks share.
func (e *engine) makeShared() {
	if e.opt.Share == nil {
		return
	}
	e.cpus = min(e.opt.Share.CPUs, e.g.Ranks())
	e.shared = make([]sharedCPU, e.nodes*e.cpus)
	for i := range e.shared {
		e.shared[i].rank = -1
	}
	e.left = map[uint32]float64{}
}

// begin makes everything ready that depends on nothing.
func (e *engine) begin() {
	for r := range e.g.Ranks() {
		span := e.g.Of(r)
		for id := span.First; id < span.End; id++ {
			if e.ops[id].need() == 0 {
				e.addReady(uint32(id))
			}
		}
		e.flush()
	}
}

func (e *engine) step(ev event) {
	id := ev.id()
	op := e.g.Op(graph.ID(id))
	if e.opt.Mode == LogGOPS {
		e.stepLogGOPS(ev, id, op)
		return
	}
	e.stepLogGPS(ev, id, op)
}

func (e *engine) laneOf(rank int32, cpu uint8) *lane {
	return &e.lanes[int(rank)*e.g.CPUs()+int(cpu)]
}

func (e *engine) nicOf(rank int32, i uint8) *nic { return &e.nics[int(rank)*e.g.NICs()+int(i)] }

// sharedOf returns the CPU of a rank: see Share.
func (e *engine) sharedOf(rank int32) *sharedCPU {
	r, node := int(rank), 0
	if e.within != nil {
		node, r = e.opt.Machine.Nodes[rank], e.within[rank]
	}
	return &e.shared[node*e.cpus+r%e.cpus]
}

// link returns the parameters of the way of a message.
func (e *engine) link(send *graph.Op) *loggps.Params {
	if len(e.links) == 1 {
		return &e.links[0]
	}
	return &e.links[e.opt.linkOf(send.Rank, send.Peer, send.NIC)]
}

// enter tells whether the event can have its lane, and its side of a NIC if it needs one,
// now. Otherwise the event waits for the one that is free last. If the lane has been idle,
// it was for the given cause, or for the line in which the event has waited.
func (e *engine) enter(ev event, rank int32, ln *lane, side *line, cause Cause) bool {
	last, mark := &ln.line, uint64(markLane)
	if side != nil && side.free > last.free {
		last, mark = side, markNIC
	}
	var cpu *sharedCPU
	over := false
	if e.shared != nil {
		cpu = e.sharedOf(rank)
		if over = ev.mark() != markShared && cpu.turnEnds(rank, ev.t, e.opt.Share.Slice); over || cpu.free > last.free {
			last, mark = &cpu.line, markShared
		}
	}
	switch ev.mark() {
	case markLane:
		e.leave(&ln.line)
	case markNIC:
		cause = Gap
		e.leave(side)
	case markShared:
		cause = Turn
		e.leave(&cpu.line)
	}
	e.idle(ev, rank, ln, cause)
	if over {
		// By its old number, which may be smaller, it would come before those that wait. They stand, so it goes aside.
		ev = makeEvent(ev.t, e.number, ev.what())
		e.number++
	}
	if over || last.free > ev.t {
		last.wait(e.events, ev, mark)
		return false
	}
	return true
}

// idle accounts for the time that a lane has done nothing before an event.
func (e *engine) idle(ev event, rank int32, ln *lane, cause Cause) {
	if idle := ev.t - ln.seen; idle > 0 {
		ln.used[cause] += idle
		e.watch(rank, ln, cause, e.blame(ev, cause), ln.seen, ev.t)
		ln.seen = ev.t
	}
}

func (e *engine) leave(l *line) {
	l.standing--
	e.stood = l
}

// occupy has the lane work from now on, and returns when it begins: later than now only
// if a shared CPU has to change to this rank.
func (e *engine) occupy(rank int32, ln *lane, work float64, how Cause, by ref) float64 {
	from := e.now
	if e.shared != nil {
		from = e.sharedOf(rank).take(rank, e.now, work, e.opt.Share.Switch)
		ln.used[Turn] += from - e.now
		e.watch(rank, ln, Turn, by.id(), e.now, from)
	}
	ln.used[how] += work
	end := from + work
	e.watch(rank, ln, how, by.id(), from, end)
	ln.free, ln.seen, ln.last = end, end, by
	return from
}

// watch reports to Options.Watch what a lane does.
func (e *engine) watch(rank int32, ln *lane, cause Cause, op graph.ID, from, to float64) {
	if e.opt.Watch == nil || from == to {
		return
	}
	cpu := uint8(0)
	for ln != e.laneOf(rank, cpu) {
		cpu++
	}
	e.opt.Watch(Piece{rank, cpu, cause, op, from, to})
}

// blame is the operation that a CPU waits for until an event. An operation that another one has released has not
// waited itself.
func (e *engine) blame(ev event, cause Cause) graph.ID {
	s := &e.ops[ev.id()]
	switch {
	case ev.phase() == phaseHandle || ev.phase() == phaseData:
		return graph.ID(s.mate())
	case s.status() == waiting && (cause == RecvWait || cause == SendWait) && ev.phase() == phaseStart:
		return graph.ID(s.link())
	}
	return graph.ID(ev.id())
}

// enqueue lets a ready operation start when its CPU, and for a send its NIC, is free as
// known now.
func (e *engine) enqueue(id uint32) {
	op := e.g.Op(graph.ID(id))
	t, ln := e.ops[id].at, e.laneOf(op.Rank, op.CPU)
	if ln.free > t {
		t = ln.free
		e.log.set(id, 0, ln.last)
	}
	if e.nics != nil && op.Kind.Sends() {
		if out := &e.nicOf(op.Rank, op.NIC).out; out.free > t {
			t = out.free
			e.log.set(id, 0, out.last)
		}
	}
	e.push(t, id, phaseStart)
}

func (e *engine) push(t float64, id, phase uint32) {
	e.events.add(makeEvent(t, e.number, makeWhat(id, phase)))
	e.number++
}
