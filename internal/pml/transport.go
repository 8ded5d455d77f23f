package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml/gone"
	"github.com/gopvas/gopvas/internal/pml/route"
	"github.com/gopvas/gopvas/internal/pml/wait"
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

	// Of ranks that have gone. When their count grows, the inboxes of all ranks are notified. By then Gone tells which
	// rank it was, and Lost which has gone first.
	gone.Job
	Lost() (rank int, ok bool)

	// For the end of this rank: see Drain. When MayReceive becomes false, this rank is notified if it Drains.
	Drains(rank int)
	MayReceive(rank int) bool

	// These are for the hang report and the supervisor, which asks by ReportCounter and Asked.
	wait.Job
	Asked() uint32
	PublishCounters(rank, first int, values ...uint64)
}

var _ Job = (*job.Root)(nil)

// AddPeers has the engine reach some ranks of the job by a further module, instead of that
// of New: those of which reaches says so, which is asked of ranks that are added, too, and says always the same. The
// peers do the same. AddPeers is called before the engine is used, and before anybody asks for Memory. The rank sleeps
// in the bed of a module that has one.
func (e *Engine) AddPeers(m btl.Messages, reaches func(rank int) bool) {
	c := m.Capabilities()
	e.routes.AddPeers(m, &c, reaches)
	e.added(&c)
}

// AddVisitors has the engine reach the visitors of the job by a further module, from now on: the engine is in use. No
// message to or from one has been begun, and nobody has asked for Memory that is shared with one.
//
// It writes with the lock held. These fields are read without the lock, too, as are some of the table:
//
//   - the pace, by waits elsewhere.
//   - the bed of the first module, by Sleep: see SleepIn of btl.Capabilities. A goroutine that sleeps goes on doing so
//     in the bed that it has: the module notifies the rank's inbox of what comes.
func (e *Engine) AddVisitors(m btl.Messages) {
	e.lock()
	defer e.unlock()
	c := m.Capabilities()
	e.routes.AddVisitors(m, &c, e.job.Visits)
	e.added(&c)
}

// added makes use of a further module, which is in the table. Attend may be called meanwhile, of a communicator that
// has no rank of this module. If it finds watches it says that it attends and reads them again; added does it the other
// way round. So one of them has the new module attend, or both, which is the same.
func (e *Engine) added(c *btl.Capabilities) {
	e.short = nil
	if c.Bed != nil {
		e.sleepIn(c.Bed, e.job.Looks())
	}
	if c.Attend != nil && e.attended.Load() {
		c.Attend(e.attend)
	}
}

// sleepIn has the rank's waits end in a bed, and make so many looks at most before.
func (e *Engine) sleepIn(bed shm.Bed, looks int) {
	if e.setBed != nil {
		e.setBed(bed)
	}
	e.pace.Set(min(e.job.Looks(), looks), bed.Crowd())
}

// to returns the transport to and from a peer.
func (e *Engine) to(peer int) *route.Transport { return e.routes.To(peer) }

// pollFurther polls the modules that the rank does not sleep in. It tells whether one of
// them may have more than max messages.
func (e *Engine) pollFurther(max int) (more bool) {
	n, more := e.routes.PollFurther(max, e.on.frame)
	e.notice.Moved(n)
	return more
}

// pollAll hands over what has come, within a bound: peers can send without end, since offers need no credit.
// The next look takes the rest, and a module whose Poll has reached its max makes sure that there is a next look.
func (e *Engine) pollAll() {
	for range pollBatches {
		n := e.routes.First.Poll(pollBatch, e.on.frame)
		e.notice.Moved(n)
		more := n == pollBatch
		if more = e.pollFurther(pollBatch) || more; !more {
			return
		}
	}
}

// Memory returns the module by which this rank and these ranks of the job, nil: all, can
// attach memory of one another, and nil if there is none. All of the ranks get the same
// answer.
func (e *Engine) Memory(ranks []int32) btl.Memory { return e.routes.Memory(ranks) }

// Direct tells whether these ranks of the job, nil: all, share one address space with this
// one.
func (e *Engine) Direct(ranks []int32) bool {
	m := e.Memory(ranks)
	return m != nil && m.Direct()
}

// GoneCount returns how many ranks of the job have gone. It never falls.
func (e *Engine) GoneCount() int { return e.gone.Count() }

// Spin returns how many looks a wait of this rank may make without a yield: none if the rank shares
// its CPU.
func (e *Engine) Spin() int {
	if e.pace.Shares() {
		return 0
	}
	return e.pace.Spin()
}

// Turns is how often a wait that yields does so before it sleeps.
const Turns = 2

// Yields tells whether a wait yields before it sleeps, and a test in GiveWay. In a rest neither does: others would
// keep the CPU.
func (e *Engine) Yields() bool { return e.pace.Yields() }

// GiveWay is called at the end of a test that has found nothing, without the lock. If ranks outnumber the CPUs, what
// this rank tests for may need its CPU.
func (e *Engine) GiveWay() {
	if e.Yields() {
		sys.Yield()
	}
}

// Plans tells whether it pays to say which messages are sent together: see Together.
func (e *Engine) Plans() bool { return e.routes.Plans() }

// Together says that standard messages are about to be sent together, by the caller: a
// module with several network devices then makes one plan for all of them. It sends nothing.
func (e *Engine) Together(messages []btl.Member) {
	if e.Plans() {
		e.lock()
		e.routes.Together(messages)
		e.unlock()
	}
}

// Together is Engine.Together.
func (in Inside) Together(messages []btl.Member) { in.e.routes.Together(messages) }
