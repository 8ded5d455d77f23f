package pml

import (
	"math"
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/flow"
	"github.com/gopvas/gopvas/internal/msg/pml/gone"
	"github.com/gopvas/gopvas/internal/msg/pml/match"
	"github.com/gopvas/gopvas/internal/msg/pml/route"
	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

// Job has the methods of the job that the engine calls. *job.Root implements it.
type Job interface {
	Ranks() int  // of the whole job; they may become more
	Places() int // how many they may become
	WaitPolicy() shm.Policy

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

// protocol moves the messages of a rank: it begins sends and receives, hears of what comes and of ranks that go, and
// completes operations. What is to be done packages match, flow and gone decide; what is here does it, with the
// transports. It waits for nothing and calls nothing of the program, and so a script can drive it: those of testdata
// explain it. The caller's lock guards it, but for what says otherwise.
type protocol struct {
	rank, size int // size: how many ranks there may be
	ranks      int // that there were at first
	routes     route.Table
	trace      recording
	threads    *Threads

	// slowPath is false if a short standard send to another rank may go straight to
	// the module: no send is queued or ahead, no rank has gone, and the engine is open. See passes.
	slowPath bool
	held     bool // the same, but ranks may have gone
	closed   bool
	broken   error // why the module cannot go on; nil: it can

	match match.Machine[operation, message]

	fast     operation  // of the short way to receive; see receiveFast
	awaited  *operation // it, while its message is looked for
	header   btl.Header // of the message that is being sent: here, since that allocates nothing
	pool     pool
	messages messages

	receives    flow.Receives[operation] // underway
	sends       flow.Sends[operation]
	ahead       flow.Budget // of sends that are ahead
	toItself    flow.Budget // of messages from this rank to itself
	spares      flow.Spares
	gone        gone.Ranks
	completions uint64 // operations that have become complete
	moves       uint64 // what the rank has done besides: messages taken, sends queued
	questions   questions
	watching    watching
	line        *wait.Line[operation] // of those who wait for operations
	stats       Stats
	on          callbacks
}

// callbacks are methods of the protocol as values, which are made once: to make one allocates.
type callbacks struct {
	frame  func(*btl.Frame)        // deliver
	moved  func(*operation, error) // of a transfer
	launch func(*operation) bool   // launchQueued
}

// init prepares the protocol of a rank, whose job and first module are known.
func (p *protocol) init(e *Engine, m btl.Messages, c *btl.Capabilities, rank int) {
	j := e.job
	p.rank, p.size, p.ranks = rank, j.Places(), j.Ranks()
	p.threads, p.line = &e.threads, &e.line
	p.match = match.New[operation, message](j.Places())
	p.ahead = flow.Budget{Limit: job.AheadLimit, Cost: job.AheadCost}
	p.toItself = p.ahead
	p.trace.rank = rank
	p.routes.Init(m, c, j.Ranks(), j.Places())
	p.pool.init(e)
	p.gone.Init(j, rank, j.Places())
	p.on = callbacks{frame: p.deliver, moved: p.moved, launch: p.launchQueued}
	p.fast = operation{engine: e, kind: receiving, state: idle, persistent: true}
	p.fast.tie()
}

// Stats counts the cost of a rank's messages so far. All of it but UnexpectedHigh
// only grows.
type Stats struct {
	btl.Counters // messages between ranks, by path, of all modules

	SelfMessages, SelfBytes uint64 // messages from this rank to itself
	Queued                  uint64 // sends that had to wait because the ring of their peer was full
	Unexpected              uint64 // messages that arrived before their receive
	UnexpectedHigh          int    // most such messages at one time
	Parks                   uint64 // waits that left progress to another goroutine of the rank
	Nudges                  uint64 // times a goroutine woke the one that sleeps for the rank

	unexpectedNow, matchedNow int
}

// updateFastPath decides whether the next short send may take the short way.
func (p *protocol) updateFastPath() {
	p.held = p.closed || p.broken != nil || p.sends.Waiting() || p.ahead.Used()
	p.slowPath = p.held || p.gone.Any()
}

// passes tells whether a message to or from a rank may take the short way: those that have gone are in the way of none
// but their own.
func (p *protocol) passes(rank int) bool { return !p.slowPath || !p.held && !p.gone.Dead(rank) }

// checkPeer returns an error unless the peer is a rank, or ProcNull.
func (p *protocol) checkPeer(peer int) error {
	switch {
	case p.closed:
		return ErrFinalized
	case p.broken != nil:
		return p.broken
	case peer != ProcNull && (peer < 0 || peer >= p.size):
		return &fault.RankError{Rank: peer, Size: p.ranks}
	}
	return nil
}

// to returns the transport to and from a peer.
func (p *protocol) to(peer int) *route.Transport { return p.routes.To(peer) }

const (
	// pollBatch is how many messages one look at the queue takes: more would let
	// the caller, whose own may be the first of them, wait for the others.
	pollBatch = 16

	// pollBatches is how many batches one look takes that is for everything: a queue of the node.
	pollBatches = 16
)

// look takes some of what has come and asks some transfers. It returns how many messages have come by the first module.
func (p *protocol) look() (came int) {
	came = p.routes.First.Poll(pollBatch, p.on.frame)
	if p.routes.Several() {
		p.pollFurther(pollBatch)
	}
	if n := p.receives.Len(); n > 0 {
		p.receives.Advance(min(n, flow.Batch), p.on.moved)
	}
	if p.sends.Busy() {
		p.sends.Advance(flow.Batch, p.on.moved)
	}
	p.lookAtOthers()
	return came
}

// lookAtAll takes what has come and asks all transfers.
func (p *protocol) lookAtAll() {
	p.pollAll()
	p.settle()
	p.lookAtOthers()
}

// lookAtOthers looks at sends that wait, ranks that go, and questions.
func (p *protocol) lookAtOthers() {
	if p.sends.Waiting() {
		p.flush()
	}
	if p.gone.News() {
		p.noteGone()
	}
	p.questions.look(Inside{p})
}

// pollAll hands over what has come, within a bound: peers can send without end, since offers need no credit.
// The next look takes the rest, and a module whose Poll has reached its max makes sure that there is a next look.
func (p *protocol) pollAll() {
	for range pollBatches {
		n := p.routes.First.Poll(pollBatch, p.on.frame)
		p.moves += uint64(n)
		more := n == pollBatch
		if more = p.pollFurther(pollBatch) || more; !more {
			return
		}
	}
}

// pollFurther polls the modules that the rank does not sleep in. It tells whether one of
// them may have more than max messages.
func (p *protocol) pollFurther(max int) (more bool) {
	n, more := p.routes.PollFurther(max, p.on.frame)
	p.moves += uint64(n)
	return more
}

// settle asks all transfers.
func (p *protocol) settle() {
	p.receives.Advance(p.receives.Len(), p.on.moved)
	p.sends.Advance(math.MaxInt, p.on.moved)
}

// move starts to look after a transfer.
func (p *protocol) move(op *operation, t btl.Transfer) {
	op.state = moving
	if op.kind == sending {
		p.sends.Start(op.Peer, &op.flow, t, op.ahead)
	} else {
		p.receives.Start(&op.flow, t, p.on.moved)
	}
}

// moved completes the operation of a transfer that is done. An error of the size is kept in err since the start.
func (p *protocol) moved(op *operation, err error) {
	if err = p.gone.Cause(op.context, err); err == nil {
		err = op.err
	}
	p.complete(op, err)
}

// noteGone fails the operations that depend on ranks that have gone since its last call: see package gone.
func (p *protocol) noteGone() {
	news := p.gone.Look(p.routes.Several(), p.pollAll, p.received, p.routes.Senders)
	p.revoke(p.gone.NewlyRevoked())
	if !news {
		return
	}
	p.updateFastPath()
	p.settle() // the module fails the transfers underway to and from them
	for op, err := range p.match.Expel(p.goneOf) {
		p.complete(op, err)
	}
	p.interruptWaits()
	p.dropQueued(func(op *operation) error { return p.gone.Error(op.context, op.Peer) })
}

// revoke ends what waits in some contexts. Messages there are dropped, and so are those that come: their senders do not
// wait for receives that nobody will begin.
func (p *protocol) revoke(contexts []uint32) {
	if contexts == nil {
		return
	}
	for _, context := range contexts {
		c := p.match.Known(context)
		if c == nil {
			continue
		}
		for _, msg := range slices.Collect(c.Messages()) {
			p.taken(msg)
			p.consume(p.unwanted(&msg.frame.Header), msg)
		}
	}
	for op, err := range p.match.Expel(p.goneOf) {
		p.complete(op, err)
	}
	p.dropQueued(func(op *operation) error {
		if p.gone.Revoked(op.context) {
			return ErrRevoked
		}
		return nil
	})
}

// unwanted is a receive for a message that is dropped.
func (p *protocol) unwanted(h *btl.Header) *operation {
	op := p.newOperation(receiving, h.Context, int(h.Source), int(h.Tag))
	op.left = true
	return op
}

// goneOf is the error of a posted receive, or a probe, that ranks that have gone end.
func (p *protocol) goneOf(op *operation) error {
	if op.kind == receiving {
		return p.gone.Error(op.context, op.Peer)
	}
	return p.gone.Failure(op.context, op.Peer)
}

// pending is the error of a wait for a receive that goes on and may never end.
func (p *protocol) pending(op *operation) error {
	if op.kind != receiving || op.state != posted {
		return nil
	}
	return p.gone.Pending(op.context, op.Peer)
}

// interruptWaits ends the waits for pending receives. They stay posted.
func (p *protocol) interruptWaits() {
	for _, op := range p.pool.all {
		if w := op.waiter; w != nil && !w.Done() && p.pending(op) != nil {
			p.line.Signal(w)
		}
		if op.watched && p.pending(op) != nil {
			p.unwatch(op)
		}
	}
}

// received counts the messages that were handed over.
func (p *protocol) received() uint64 { return p.routes.Counters().Received }

// dropQueued fails the queued sends for which why returns an error.
func (p *protocol) dropQueued(why func(*operation) error) {
	p.sends.DropQueued(why, p.on.moved)
	p.updateFastPath()
}

// dropAll fails everything that has found no partner yet.
func (p *protocol) dropAll(err error) {
	for op := range p.match.Expel(func(*operation) error { return err }) {
		p.complete(op, err)
	}
	p.dropQueued(func(*operation) error { return err })
}

// fail ends all messages underway, and makes all that are begun from now on fail: see Engine.
func (p *protocol) fail(err error) {
	p.broken = err
	p.updateFastPath()
	p.dropAll(err)
	p.receives.Drop(err, p.on.moved)
	p.sends.Drop(err, p.on.moved)
}

// draining returns a send to one of some ranks that nobody waits for, nil if there is none.
func (p *protocol) draining(to func(rank int) bool) *operation {
	for _, op := range p.pool.all {
		if op.kind == sending && (op.ahead || op.left) && (op.state == queued || op.state == moving) &&
			to(int(op.Peer)) {
			return op
		}
	}
	return nil
}

// uses tells whether an operation that was begun and not waited for uses a buffer that is to be received into.
func (p *protocol) uses(b *btl.Buffer) bool {
	for _, op := range p.pool.all {
		uses := false
		switch op.state {
		case queued, held, moving:
			uses = !op.ahead
		case posted, complete:
			uses = op.kind == receiving
		}
		if uses && op.kind <= receiving && op.buf.Meets(b) {
			return true
		}
	}
	return false
}

// setClosed says whether operations can be begun.
func (p *protocol) setClosed(closed bool) {
	p.closed = closed
	p.updateFastPath()
}

// idle tells whether this rank has nothing left in some contexts: see Engine.Idle.
func (p *protocol) idle(contexts []uint32) bool {
	idle := p.pool.idle(contexts)
	for _, context := range contexts {
		if c := p.match.Known(context); c != nil && c.Unexpected() {
			return false
		}
	}
	return idle
}
