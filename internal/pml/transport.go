package pml

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/shm"
)

// Job has the methods of the job that the engine calls. *job.Root implements it.
type Job interface {
	Ranks() int  // of the whole job; they may become more
	Places() int // how many they may become
	Spin() int   // looks of a wait before it sleeps
	Looks() int  // the same without regard to the number of CPUs
	Few() bool   // each rank soon has its turn where all that poll give way

	// GoneCounter returns the count of the ranks that have gone, which never falls. When
	// it grows, the inboxes of all ranks are notified. By then Gone tells which rank it
	// was, and Lost which has gone first.
	GoneCounter() *atomic.Uint32
	Gone(rank int) bool
	Lost() (rank int, ok bool)

	// For the end of this rank: see Drain. When MayReceive becomes false, this rank is notified if it Drains.
	Drains(rank int)
	MayReceive(rank int) bool
	State(rank int) job.State

	// These are for the hang report and the supervisor, which asks by ReportCounter and Asked. A rank
	// writes only about itself.
	ReportCounter() *atomic.Uint32
	SetPolls(rank int, report uint32, p job.Polls)
	SetWaiting(rank int, w job.Waiting)
	ClearWaiting(rank int)
	Asked() uint32
	Answer(rank int, a job.Answer)
	PublishCounters(rank, first int, values ...uint64)

	// Ranks of other worlds and jobs: see package job.
	World(rank int) job.World
	All() iter.Seq[int]
	Visits(rank int) bool
	OtherJob(rank int) string
}

var _ Job = (*job.Root)(nil)

// Transports. Each peer is reached by one module, which both of them use for each other:
// it carries the messages in both directions, and so their order. Most jobs have one
// module for all peers. Then there is no table, and messages go to the module at once.
//
// A rank sleeps in its first module alone. The others are polled with it, also in the
// sleep, and say by the rank's inbox that there is something to look at: see
// btl.Messages.Sleep.

// transport is a module of this rank, with what is asked of its Capabilities again and again.
type transport struct {
	btl.Messages
	eager   int            // the longest eager message in bytes
	reaches func(int) bool // of a further module: the ranks that it reaches
	settled func() bool    // nil: as Senders says

	// sendZeroCopy is that of the Capabilities, else Send.
	sendZeroCopy func(peer int, h *btl.Header, payload []byte) (btl.Transfer, bool)
}

func newTransport(m btl.Messages, c btl.Capabilities) transport {
	t := transport{Messages: m, eager: m.EagerLimit(), settled: c.Settled, sendZeroCopy: c.SendZeroCopy}
	if t.sendZeroCopy == nil {
		t.sendZeroCopy = m.Send
	}
	return t
}

// sendShort sends a message of at most the eager limit. kept is as in Engine.send.
func (t *transport) sendShort(peer int, h *btl.Header, buf *btl.Buffer, kept bool) (btl.Transfer, bool) {
	switch {
	case buf.Layout != nil:
		return nil, t.SendBuffer(peer, h, *buf)
	case kept:
		return t.sendZeroCopy(peer, h, buf.Bytes)
	}
	return t.Send(peer, h, buf.Bytes)
}

// AddPeers has the engine reach some ranks of the job by a further module, instead of that
// of New: those of which reaches says so, which is asked of ranks that are added, too, and says always the same. The
// peers do the same. AddPeers is called before the engine is used, and before anybody asks for Memory. The rank sleeps
// in the bed of a module that has one.
func (e *Engine) AddPeers(m btl.Messages, reaches func(rank int) bool) {
	if e.routes == nil {
		e.routes = make([]uint8, e.ranks)
	}
	c := e.add(m, reaches)
	if c.Together != nil && e.together == nil {
		e.together, e.planned = c.Together, uint8(len(e.further))
	}
	for rank := range e.ranks {
		if reaches(rank) {
			e.routes[rank] = uint8(len(e.further))
		}
	}
}

// AddVisitors has the engine reach the visitors of the job by a further module, from now on: the engine is in use. No
// message to or from one has been begun, and nobody has asked for Memory that is shared with one.
//
// It writes with the lock held. These fields are read without the lock, too:
//
//   - crowd and spin, by waits elsewhere. They are atomic. A wait that has one of before and one of now makes looks
//     that are too few or too many, once.
//   - watches, by Attend: see add.
//   - further, by route. It is asked without the lock in a job of several nodes only, which has no visitors.
//   - met, by Memory. It is atomic, and only says whether to ask for visitors, whom the root block has before.
//   - the bed of the first module, by Sleep: see SleepIn of btl.Capabilities. A goroutine that sleeps goes on doing so
//     in the bed that it has: the module notifies the rank's inbox of what comes.
func (e *Engine) AddVisitors(m btl.Messages) {
	e.lock()
	defer e.unlock()
	e.add(m, e.job.Visits)
	e.met.Store(true)
}

// add adds a further module. Attend may be called meanwhile, of a communicator that has no rank of this module. If it
// finds watches it says that it attends and reads them again; add does it the other way round. So one of them has the
// new module attend, or both, which is the same.
func (e *Engine) add(m btl.Messages, reaches func(rank int) bool) btl.Capabilities {
	c := m.Capabilities()
	t := newTransport(m, c)
	t.reaches = reaches
	e.further = append(e.further, t)
	e.short = nil
	if c.Bed != nil {
		e.sleepIn(c.Bed, e.job.Looks())
	}
	if c.Attend != nil {
		watches := append(slices.Clone(e.watched()), c.Attend)
		e.watches.Store(&watches)
		if e.attended.Load() {
			c.Attend(e.attend)
		}
	}
	return c
}

// watched are the watches of modules.
func (e *Engine) watched() []func(func() bool) {
	if w := e.watches.Load(); w != nil {
		return *w
	}
	return nil
}

// sleepIn has the rank's waits end in a bed, and make so many looks at most before.
func (e *Engine) sleepIn(bed shm.Bed, looks int) {
	if e.setBed != nil {
		e.setBed(bed)
	}
	e.crowd.Store(bed.Crowd())
	e.spin.Store(int32(min(e.job.Looks(), looks)))
}

// route is 0 for a rank that module reaches, n for one that further[n-1] does. Any goroutine may ask. Where a rank is
// that was added is in the root block before it is a peer of anybody.
func (e *Engine) route(rank int) uint8 {
	if uint(rank) < uint(len(e.routes)) {
		return e.routes[rank]
	}
	for i := range e.further {
		if e.further[i].reaches(rank) {
			return uint8(i + 1)
		}
	}
	return 0
}

// to returns the transport to and from a peer.
func (e *Engine) to(peer int) *transport {
	if e.further == nil {
		return &e.module
	}
	if n := e.route(peer); n > 0 {
		return &e.further[n-1]
	}
	return &e.module
}

// pollFurther polls the modules that the rank does not sleep in. It tells whether one of
// them may have more than max messages.
func (e *Engine) pollFurther(max int) (more bool) {
	for i := range e.further {
		n := e.further[i].Poll(max, e.onFrame)
		e.moves += uint32(n)
		more = n == max || more
	}
	return more
}

// pollAll hands over what has come, within a bound: peers can send without end, since offers need no credit.
// The next look takes the rest, and a module whose Poll has reached its max makes sure that there is a next look.
func (e *Engine) pollAll() {
	for range pollBatches {
		n := e.module.Poll(pollBatch, e.onFrame)
		e.moves += uint32(n)
		more := n == pollBatch
		if more = e.pollFurther(pollBatch) || more; !more {
			return
		}
	}
}

// noteSenders sets due of each rank of which a message was not handed over.
func (e *Engine) noteSenders() {
	clear(e.due)
	e.module.Senders(e.onSender)
	for i := range e.further {
		e.further[i].Senders(e.onSender)
	}
}

// received counts the messages that were handed over.
func (e *Engine) received() uint64 {
	n := e.module.Counters().Received
	for i := range e.further {
		n += e.further[i].Counters().Received
	}
	return n
}

// Memory returns the module by which this rank and these ranks of the job, nil: all, can
// attach memory of one another, and nil if there is none. All of the ranks get the same
// answer.
func (e *Engine) Memory(ranks []int32) btl.Memory {
	if e.met.Load() && slices.ContainsFunc(ranks, func(rank int32) bool { return e.job.Visits(int(rank)) }) {
		return nil
	}
	if e.routes != nil {
		if ranks == nil {
			return nil // some are reached by a further module
		}
		for _, rank := range ranks {
			if e.route(int(rank)) != 0 {
				return nil
			}
		}
	}
	return e.memory
}

// Direct tells whether these ranks of the job, nil: all, share one address space with this
// one.
func (e *Engine) Direct(ranks []int32) bool {
	m := e.Memory(ranks)
	return m != nil && m.Direct()
}

// GoneCount returns how many ranks of the job have gone. It never falls.
func (e *Engine) GoneCount() int { return int(e.goneCount.Load()) }

// Spin returns how many looks a wait of this rank may make without a yield: none if the rank shares
// its CPU.
func (e *Engine) Spin() int {
	if e.crowd.Load().Shares() {
		return 0
	}
	return int(e.spin.Load())
}

// Turns is how often a wait that yields does so before it sleeps.
const Turns = 2

// Yields tells whether a wait yields before it sleeps, and a test in GiveWay. In a rest neither does: others would
// keep the CPU.
func (e *Engine) Yields() bool {
	if crowd := e.crowd.Load(); crowd != nil {
		return crowd.GivesWay()
	}
	return e.spin.Load() == 0
}

// GiveWay is called at the end of a test that has found nothing, without the lock. If ranks outnumber the CPUs, what
// this rank tests for may need its CPU.
func (e *Engine) GiveWay() {
	if e.Yields() {
		sys.Yield()
	}
}

// Plans tells whether it pays to say which messages are sent together: see Together.
func (e *Engine) Plans() bool { return e.together != nil }

// Together says that standard messages are about to be sent together, by the caller: a
// module with several network devices then makes one plan for all of them. It sends nothing.
func (e *Engine) Together(messages []btl.Member) {
	if e.together == nil {
		return
	}
	e.lock()
	e.Inside().Together(messages)
	e.unlock()
}

// Together is Engine.Together.
func (in Inside) Together(messages []btl.Member) {
	e := in.e
	if e.together == nil {
		return
	}
	e.members = e.members[:0]
	for _, o := range messages {
		if uint(o.Peer) < uint(e.size) && o.Peer != e.rank && e.route(o.Peer) == e.planned {
			e.members = append(e.members, o)
		}
	}
	e.together(e.members)
}
