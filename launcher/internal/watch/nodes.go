package watch

import (
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Nodes is the watch of a leader over all nodes. It asks all of them at the same time. It writes the records of their
// answers into the mirror: a root block of all ranks. From the mirror it reports, and proves a deadlock, as the watch
// of one node does from the job's root block. Nodes have numbers. The zero value watches nothing.
type Nodes struct {
	mirror  *job.Root
	lookout hang.Lookout
	asked   inquiry
	lookers []int // have not told what comes of the last look
	watched bool  // a rank is stopped or debugged, says an answer to the last look
	ranks   []state
}

// inquiry is a question to all nodes.
type inquiry struct {
	open     bool
	nodes    []int // have not answered
	late     <-chan time.Time
	timedOut bool // of NodeStep
}

// state is what is known of a rank beside its record.
type state struct {
	pid     int // 0: not started, or not known
	stopped bool
	place   symbol.Place // of the call in which it waits
}

// A NodeStep is what the leader is to do, in this order.
type NodeStep struct {
	Ask      []int   // order these nodes to look, or to say what their ranks do
	Look     uint32  // the number of the look; 0: it is none
	Silent   []int   // say that these nodes do not say in time what their ranks do
	Report   *Report // print it
	TimedOut bool    // the job ends by its time-out
}

// Now is the state of the leader.
type Now struct {
	Live []int // nodes that are not over
	Over bool  // the fate of the job is decided
}

// NewNodes returns the watch of a job that begins with so many ranks. after and off are for New.
func NewNodes(mirror *job.Root, ranks int, after time.Duration, off bool) Nodes {
	return Nodes{mirror: mirror, lookout: hang.NewLookout(after, off), ranks: make([]state, ranks)}
}

// Grow makes room for ranks that are added.
func (n *Nodes) Grow(ranks int) { n.ranks = append(n.ranks, make([]state, ranks)...) }

// Gone notes the process that a rank was.
func (n *Nodes) Gone(rank, pid int) { n.ranks[rank].pid = pid }

// Ask asks nodes what their ranks do, unless a question is open. timedOut is that of the step that reports it.
func (n *Nodes) Ask(nodes []int, timedOut bool) []NodeStep {
	n.asked.timedOut = n.asked.timedOut || timedOut
	if n.asked.open {
		return nil
	}
	n.asked.open, n.asked.nodes, n.asked.late = true, slices.Clone(nodes), time.After(hang.AnswerTime)
	if len(nodes) == 0 {
		return n.EndAnswers()
	}
	return []NodeStep{{Ask: nodes}}
}

// AnswersDue is when EndAnswers is due.
func (n *Nodes) AnswersDue() <-chan time.Time { return n.asked.late }

// EndAnswers has the question answered, if it is open, with the answers that there are.
func (n *Nodes) EndAnswers() []NodeStep {
	if !n.asked.open {
		return nil
	}
	s := NodeStep{Silent: n.asked.nodes, TimedOut: n.asked.timedOut}
	n.asked = inquiry{}
	s.Report = n.report(n.mirror.Snapshot(), nil)
	return []NodeStep{s}
}

// Told takes the answer of a node to a question or to a look. The node has these ranks.
func (n *Nodes) Told(node int, ranks []int, d *part.Doing, now Now) []NodeStep {
	at := time.Duration(sys.Monotonic())
	for _, c := range d.Records {
		if _, ok := slices.BinarySearch(ranks, c.Rank); ok {
			n.mirror.Restore(c, at)
		}
	}
	if all := len(ranks); len(d.Pids) == all && len(d.Stopped) == all && len(d.Places) == all {
		for i, rank := range ranks {
			n.ranks[rank] = state{d.Pids[i], d.Stopped[i], d.Places[i]}
		}
	}
	switch {
	case d.Look == 0:
		return n.answered(node)
	case d.Look == n.lookout.Number:
		return n.looked(node, d.Watched, now)
	}
	return nil
}

// Ended notes that a node is over: it answers nothing any more.
func (n *Nodes) Ended(node int, now Now) []NodeStep {
	return append(n.answered(node), n.looked(node, false, now)...)
}

// answered notes that a node has answered the question.
func (n *Nodes) answered(node int) []NodeStep {
	if took(&n.asked.nodes, node) && len(n.asked.nodes) == 0 {
		return n.EndAnswers()
	}
	return nil
}

// took takes a node out of a list, if it is there.
func took(list *[]int, node int) bool {
	i := slices.Index(*list, node)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

// LookDue is when Look is due.
func (n *Nodes) LookDue() <-chan time.Time { return n.lookout.Tick }

// Look is the next step of the lookout: a look, or the end of one that was not answered in time. So many ranks live,
// and have waited for long. busy: the job is not complete.
func (n *Nodes) Look(busy bool, waiting, alive int, now Now) []NodeStep {
	o := &n.lookout
	switch {
	case busy || now.Over:
		o.Rest()
	case o.Asked:
		o.GiveUp()
	case o.Wants(waiting, alive):
		return n.askLook(now)
	default:
		o.Rest()
	}
	return nil
}

// askLook has all nodes look.
func (n *Nodes) askLook(now Now) []NodeStep {
	number := n.lookout.Ask()
	n.lookout.Tick = time.After(hang.AnswerTime + n.lookout.After)
	n.lookers, n.watched = slices.Clone(now.Live), false
	return []NodeStep{{Ask: now.Live, Look: number}}
}

// looked notes that a node has told the answers to the last look, or has ended. It reads the answers after the last
// node.
func (n *Nodes) looked(node int, watched bool, now Now) []NodeStep {
	if !took(&n.lookers, node) {
		return nil
	}
	n.watched = n.watched || watched
	if len(n.lookers) > 0 || !n.lookout.Asked || now.Over {
		return nil
	}
	views := n.mirror.Snapshot()
	proof, again := n.lookout.Read(views, time.Duration(sys.Monotonic()))
	switch {
	case again:
		return n.askLook(now)
	case len(proof.Ranks) > 0 && n.watched:
		n.lookout.GiveUp()
	case len(proof.Ranks) > 0:
		n.lookout.Tick = nil
		return []NodeStep{{Report: n.report(views, &proof)}}
	}
	return nil
}

// report is that of all ranks.
func (n *Nodes) report(views []job.View, proof *job.Proof) *Report {
	r := &Report{Started: true, Views: views, Proof: proof, Who: make([]hang.Rank, len(n.ranks))}
	for rank, v := range views {
		known := n.ranks[rank]
		r.Who[rank] = hang.Rank{World: hang.OfWorld(n.mirror.World(rank), rank), Pid: known.pid,
			Stopped: known.stopped, Place: hang.PlaceOf(&v, known.place)}
	}
	return r
}
