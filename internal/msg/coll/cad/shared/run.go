package shared

import "github.com/gopvas/gopvas/internal/msg/coll/cad"

// run is a graph that has been issued, or is about to be: the pml.Task of its request.
// It keeps what the graph refers to reachable.
type run struct {
	e       *Engine
	channel *cad.Channel
	place   *place
	graph   *cad.Graph
	image   *image

	// While an issue is underway.
	issue  uint64
	number uint32 // on the channel
	slot   int    // in the pool; -1: none is underway
	queued bool   // it waits for a place: see queue.go
	shared *graph // there
	record *record
	gone   int  // ranks that had gone when that was last looked at
	before int  // of them, those that had gone before the issue
	looks  int  // at whether it is complete
	wrong  bool // it ended with an error

	lasting  bool   // this rank waits for long: see Lasts
	expected bool   // expect has looked
	told     uint32 // what record.told was then
}

// longLooks is how many looks of a rank that tests, and so never sleeps, count as a long wait.
const longLooks = 1 << 12

// newRun builds the graph, unless it stayed built.
func (e *Engine) newRun(c *cad.Channel, g *cad.Graph) (*run, error) {
	if r, ok := g.Built().(*run); ok {
		return r, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := e.build(c, g)
	if err != nil {
		return nil, err
	}
	r := &run{e: e, channel: c, place: cad.StateOf[place](c), graph: g, image: m, slot: -1}
	g.Keep(r)
	return r, nil
}

// Start issues the graph, or queues it until its turn.
func (r *run) Start() error {
	r.channel.AwaitStandIn(r.graph)
	if err := r.open(); err != nil {
		return err
	}
	if slot := r.graph.Slot; slot != 0 {
		r.e.job.CountCall(r.e.rank, slot)
	}
	if !r.queued {
		r.begin()
	}
	return nil
}

// begin executes what the graph begins with. A graph fails if it gets something from a rank that had gone before: the
// buffers of that may be no more (job.LetGo).
func (r *run) begin() {
	r.settle()
	if r.before > 0 {
		if f := r.lostPeer(); f.Fault != 0 {
			r.shared.fault.Note(r.notRevoked(f))
		}
	}
	x := r.e.enter(false)
	x.finish(r.shared, r.image.node(r.image.start))
	x.drain()
	x.leave()
}

// settle has what the graph writes lie near this rank, whichever rank executes it. No node that writes is ready yet.
func (r *run) settle() {
	if r.e.near == nil {
		return
	}
	for i := range r.graph.Nodes {
		if s := &r.graph.Nodes[i]; s.Kind != cad.Send {
			r.e.near.Settle(&s.Dst, s.Dst.Len())
		}
	}
}

// open gives the graph its number on the channel, and a place among those that are underway or, if
// there is none on the channel, in its queue.
func (r *run) open() error {
	e, s := r.e, r.place
	s.mu.Lock()
	defer s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	rec, err := e.record(r.channel)
	if err != nil {
		return err
	}
	number := r.channel.Issued()
	wait := len(s.queue) > 0 || rec.ring[number%ringSize].Load() != 0
	if !wait && len(e.slots) == 0 {
		return ErrTooMany
	}
	r.number, r.record, r.queued = number, rec, wait
	r.gone, r.before, r.looks, r.lasting, r.expected = 0, len(e.noteDead()), 0, false, false
	r.channel.Next()
	if wait {
		s.queue = append(s.queue, r)
	} else {
		r.occupy()
	}
	return nil
}

// occupy takes a place of the pool, which there is. From then on peers find the graph. e.mu is held.
func (r *run) occupy() {
	e, last := r.e, len(r.e.slots)-1
	r.slot = e.slots[last]
	e.slots = e.slots[:last]
	e.issues++
	r.issue, r.shared = e.issues, &e.mine.Load().graphs[r.slot]
	e.runs[r.slot].Store(r)
	r.reset()
	r.record.ring[r.number%ringSize].Store(entry(r.number, r.slot, r.issue))
	r.record.issued.Store(r.number + 1)
}

// reset brings everything into the state that it has at issue. Nobody else looks at it
// until the issue is published, but for late executors: see layout.go.
func (r *run) reset() {
	m, s := r.image, r.shared
	s.issue.Store(0)
	for place := range uint32(m.count) {
		n := m.node(place)
		n.left.Store(n.before)
		n.state.Store(waiting.of(r.issue))
		if n.kind == cad.Send {
			n.dst = s.address()
		}
		word(m.aux, place).Store(0)
	}
	s.nodes.Store(m.nodes)
	s.aux.Store(m.aux)
	s.lengths.Store(join(uint64(m.count), uint64(m.peers)))
	s.place.Store(join(uint64(r.channel.Context), uint64(r.number)))
	level := 1
	if r.graph.Urgent {
		level = 0
	}
	s.where.Store(whereWord(r.e.rank, level, r.slot))
	s.call.Store(r.graph.Signature)
	s.fault.Reset()
	if f := r.graph.Failed; f != nil {
		s.fault.Note(*f)
	}
	s.tail.Store(0)
	s.own.Store(r.issue << indexBits)
	s.head.Store(r.issue << indexBits)
	s.issue.Store(r.issue)
}

// Progress tells whether the graph is complete.
func (r *run) Progress() (done bool, err error) {
	if r.queued {
		if f := r.ended(); f.Fault != 0 {
			r.leaveQueue()
			r.e.breakAll(r.channel, f)
			return true, r.err(f)
		}
		if !r.takeTurn() {
			return false, nil
		}
		r.begin()
	}
	s := r.shared
	if s.done.Load() == r.issue {
		err := r.err(s.fault.Failure())
		r.wrong = err != nil
		r.close()
		return true, err
	}
	if r.looks++; r.looks == longLooks {
		r.Lasts()
	}
	if f := r.ended(); f.Fault != 0 && s.done.Load() != r.issue {
		r.abandon(f)
		return true, r.err(f)
	}
	return false, nil
}

// err turns what is wrong with the graph into an error.
func (r *run) err(f cad.Failure) error {
	return cad.Reporter{Member: r.channel.MemberOf, Describe: r.e.options.Describe}.Err(f, r.graph.Signature)
}

// close makes the graph's place free for another.
func (r *run) close() {
	e := r.e
	e.mu.Lock()
	defer e.mu.Unlock()
	r.record.ring[r.number%ringSize].Store(0)
	r.tellExpecting()
	e.runs[r.slot].Store(nil)
	e.slots = append(e.slots, r.slot)
	r.slot = -1
}

// Release gives the memory back, when no request stands for the run any more.
func (r *run) Release() {
	if r.slot >= 0 || r.image == nil {
		return // underway, or abandoned: others may be at work on it
	}
	if !r.wrong && r.graph.Rest() {
		return
	}
	r.e.mu.Lock()
	defer r.e.mu.Unlock()
	r.e.free(r.image)
	r.image = nil
}

// abandon gives the graph up, and with it the channel: its members cannot come to an
// end with it, nor with what they issue later. The engine keeps what the graph refers to reachable.
//
// All members are told. Those that have not issued any graph yet find it out at their
// first: see Engine.record.
func (r *run) abandon(f cad.Failure) {
	e, c := r.e, r.channel
	r.shared.fault.Note(f)
	e.mu.Lock()
	e.abandoned = append(e.abandoned, r)
	e.mu.Unlock()
	e.breakAll(c, f)
}

// Bytes implements cad.Built.
func (r *run) Bytes() int {
	n := r.image.count*nodeSize + r.image.words*4
	for i := range r.graph.Nodes {
		n += len(r.graph.Nodes[i].Dst.Bytes)
	}
	return n
}

// Replace implements cad.Built.
func (r *run) Replace(m cad.Moved) {
	for place := range uint32(r.image.count) {
		switch n := r.image.node(place); n.kind {
		case cad.Send:
			n.src = m.New(n.src)
		case cad.Recv:
			n.dst = m.New(n.dst)
		case cad.Copy, cad.Calc:
			n.dst, n.src = m.New(n.dst), m.New(n.src)
		}
	}
}

// Free implements cad.Built.
func (r *run) Free() {
	r.e.mu.Lock()
	defer r.e.mu.Unlock()
	r.e.free(r.image)
}
