package watch

import (
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/symbol"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/roster"
)

// A Watch belongs to the goroutine of the supervisor. It knows the ranks by their table and by the root block. A
// report, and an answer to the leader, waits for places first:
//
//	Ask --answers, or pollsWait--> places --> Report (Doing for a leader), TimedOut
//	LookDue --> look --> look --proved--> places --> Report with the proof
//	BeginLook --> LookDue --> places --> Doing, which is the answer to the leader's look
type Watch struct {
	ranks    *roster.Table
	root     *job.Root // nil until there is memory
	ofLeader bool      // the leader of several nodes is told what ranks do, and proves deadlocks
	lookout  hang.Lookout
	asked    question
	placing  placing
	told     int // how many waiting ranks the leader was told of
}

// A Step is what the supervisor is to do. One of the first four fields is set.
type Step struct {
	Read    []hang.Call // read these places on another goroutine, and tell Found
	Report  *Report     // print it
	Doing   *part.Doing // tell the leader
	Waiting *part.Waits // likewise

	TimedOut bool // the job ends by its time-out, behind a report or Doing: ranks must not end before they are reported
}

// A Report is of the ranks at one moment.
type Report struct {
	Started bool // a rank; else nothing is known
	Views   []job.View
	Who     []hang.Rank // without the names of programs and nodes
	Proof   *job.Proof  // of a deadlock; nil: nothing is proved
}

// New returns the watch of a node. It looks for deadlocks when all ranks have waited for so long; off: it never does.
func New(ranks *roster.Table, ofLeader bool, after time.Duration, off bool) *Watch {
	return &Watch{ranks: ranks, ofLeader: ofLeader, lookout: hang.NewLookout(after, off),
		placing: placing{known: map[hang.Call]symbol.Place{}}}
}

// Begin gives the watch the root block of the job.
func (w *Watch) Begin(root *job.Root) { w.root = root }

// LookDue is when Look is due.
func (w *Watch) LookDue() <-chan time.Time { return w.lookout.Tick }

// Look is the next step of the lookout. A node of a job on several only tells the leader how many ranks wait. A
// question to the ranks withdraws the answers to the last one, so there is none while a report waits for places. busy:
// the job is not complete, or ends already.
func (w *Watch) Look(busy bool) []Step {
	l := &w.lookout
	switch {
	case w.root == nil || busy || w.placing.waits():
		l.Rest()
	case w.ofLeader && l.Asked:
		l.Rest()
		return w.placed(pending{doing: true, look: l.Number})
	case w.ofLeader:
		l.Rest()
		if n := len(w.waiting(l.After)); n != w.told {
			w.told = n
			return []Step{{Waiting: &part.Waits{Ranks: n}}}
		}
	case !l.Asked:
		waiting := w.waiting(l.After)
		if !l.Wants(len(waiting), w.ranks.Alive()) {
			l.Rest()
			break
		}
		w.root.Look(l.Ask(), waiting)
	default:
		return w.read()
	}
	return nil
}

// read reads the answers to a look.
func (w *Watch) read() []Step {
	l := &w.lookout
	views := w.root.Snapshot()
	proof, again := l.Read(views, time.Duration(sys.Monotonic()))
	switch {
	case again:
		w.root.Look(l.Ask(), w.waiting(l.After))
	case len(proof.Ranks) > 0 && w.watched():
		l.GiveUp()
	case len(proof.Ranks) > 0:
		l.Tick = nil
		return w.placed(pending{views: views, proof: &proof})
	}
	return nil
}

// BeginLook begins a look of the leader, which Look answers later. Orders arrive in the order in which the leader has
// sent them. So a rank that is asked was told before of each address and end of a rank that the leader knew.
func (w *Watch) BeginLook(number uint32) {
	if w.root == nil || w.placing.waits() {
		return // no ranks, or see Look: the leader gives the look up when its time is over
	}
	w.lookout.Ask()
	w.lookout.Number = number
	w.root.Look(number, w.waiting(w.lookout.After))
}

// Ask asks the ranks what they do, unless that question is open, and has it reported. timedOut is that of the step.
func (w *Watch) Ask(timedOut bool) []Step {
	q := &w.asked
	q.timedOut = q.timedOut || timedOut
	if q.at != 0 {
		return nil
	}
	q.at = sys.Monotonic()
	if w.root != nil {
		w.root.AskReport(w.waiting(0))
	}
	q.end = time.Now().Add(pollsWait)
	return w.Answers()
}

// AnswersDue is when Answers is due; nil: the question is not open, or has its answers.
func (w *Watch) AnswersDue() <-chan time.Time { return w.asked.tick }

// Answers reports what the ranks do, or is due again.
func (w *Watch) Answers() []Step {
	if w.root != nil && time.Now().Before(w.asked.end) && w.asked.silent(w.ranks, w.root) {
		w.asked.tick = time.After(pollsLook)
		return nil
	}
	return w.EndAnswers()
}

// EndAnswers answers the question with what is known.
func (w *Watch) EndAnswers() []Step {
	w.asked.tick = nil
	return w.placed(pending{})
}

// Placing tells whether a report waits for places.
func (w *Watch) Placing() bool { return w.placing.waits() }

// PlacesDue is when PlacesLate is due.
func (w *Watch) PlacesDue() <-chan time.Time { return w.placing.late }

// PlacesLate lets reports go on without places.
func (w *Watch) PlacesLate() []Step { return w.steps(w.placing.release()) }

// Found takes in places that were read.
func (w *Watch) Found(places map[hang.Call]symbol.Place) []Step {
	return w.steps(w.placing.found(places))
}

// placed returns the steps of a report or an answer. It waits until the places of the calls in which ranks are now are
// known.
func (w *Watch) placed(then pending) (steps []Step) {
	calls, limit := make([]hang.Call, w.ranks.Size()), placeTime
	for rank := range calls {
		calls[rank] = w.callNow(rank)
	}
	if w.ofLeader {
		limit = placeTimeAway
	}
	ready, fresh := w.placing.await(calls, then, limit)
	if fresh != nil {
		steps = append(steps, Step{Read: fresh})
	}
	return append(steps, w.steps(ready)...)
}

// callNow is the call in which a rank of this node waits or polls. It has no address if that is not known.
func (w *Watch) callNow(rank int) hang.Call {
	call, number := hang.Call{Pid: w.ranks.Pid(rank)}, w.ranks.Number(rank)
	if call.Pid == 0 || w.root.Gone(number) {
		return call
	}
	if a, waits := w.root.Waiting(number); waits {
		call.Address = a.Place
	} else {
		call.Address = w.root.Polls(number).Place
	}
	return call
}

// waiting returns the numbers of this node's ranks that have waited for so long.
func (w *Watch) waiting(long time.Duration) (list []int) {
	now := time.Duration(sys.Monotonic())
	for _, rank := range w.ranks.Living() {
		rank = w.ranks.Number(rank)
		if a, ok := w.root.Waiting(rank); ok && now-time.Duration(a.Since) >= long {
			list = append(list, rank)
		}
	}
	return list
}

// watched tells whether a rank of this node is stopped, or has a debugger attached. Such a job is not ended.
func (w *Watch) watched() bool {
	for pid := range w.ranks.Living() {
		if p, ok := processes.Find(pid); ok && (p.State == 'T' || p.State == 't') || processes.Traced(pid) {
			return true
		}
	}
	return false
}

// Records returns the records of the ranks here from the root block.
func (w *Watch) Records() (list []job.Record) {
	if w.root == nil {
		return nil
	}
	now := time.Duration(sys.Monotonic())
	for rank := range w.ranks.Size() {
		list = append(list, w.root.Record(w.ranks.Number(rank), now))
	}
	return list
}

// doing is what the leader is told of the ranks, and which look they have answered.
func (w *Watch) doing(look uint32) *part.Doing {
	d := &part.Doing{Records: w.Records(), Pids: w.ranks.Pids(), Places: make([]symbol.Place, w.ranks.Size()),
		Look: look, Watched: w.watched()}
	for _, pid := range d.Pids {
		d.Stopped = append(d.Stopped, hang.Stopped(pid))
	}
	for rank, c := range d.Records {
		call := hang.Call{Pid: d.Pids[rank], Address: max(c.Waiting.Place, c.Polls.Place)} // one is 0
		d.Places[rank] = w.placing.known[call]
	}
	return d
}

// report is that of the ranks as views show them. Without views it is of the ranks as they are now.
func (w *Watch) report(views []job.View, proof *job.Proof) *Report {
	if w.root == nil {
		return &Report{}
	}
	if views == nil {
		views = w.root.Snapshot()
	}
	r := &Report{Started: true, Views: views, Proof: proof, Who: make([]hang.Rank, w.ranks.Size())}
	for rank, v := range views {
		pid := w.ranks.Pid(rank)
		r.Who[rank] = hang.Rank{World: hang.OfWorld(w.ranks.World(rank), rank), Pid: pid, Stopped: hang.Stopped(pid),
			Place: hang.PlaceOf(&v, w.placing.known[hang.Call{Pid: pid, Address: v.Place()}])}
	}
	return r
}

// steps are those of reports and answers that have waited for places.
func (w *Watch) steps(then []pending) (list []Step) {
	for _, p := range then {
		switch {
		case p.doing:
			list = append(list, Step{Doing: w.doing(p.look)})
			continue
		case p.proof != nil:
			list = append(list, Step{Report: w.report(p.views, p.proof)})
			continue
		}
		s := Step{TimedOut: w.asked.timedOut}
		w.asked = question{}
		if w.ofLeader {
			s.Doing = w.doing(0)
		} else {
			s.Report = w.report(nil, nil)
		}
		list = append(list, s)
	}
	return list
}
