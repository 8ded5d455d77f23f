package hang

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
)

// States that a program finds more about in the report.
const (
	waiting = "waiting"
	running = "running"
)

// Rank is the supervisor's record of a rank.
type Rank struct {
	Node    string // "": the job has one node
	Pid     int    // 0: it has not been started
	World   string // its place in a world that ranks have had started; "": it is of the first one
	Program string
	Stopped bool         // by a signal, as its node has seen when it was last asked
	Place   symbol.Place // of the call in which it waits
}

func (s Rank) number() string {
	if s.Pid == 0 {
		return "-"
	}
	return fmt.Sprint(s.Pid)
}

// describeView says what a rank does: by a word for programs, and in words. If it is stopped they say that first, then
// what it did before.
func describeView(v *job.View, who Rank, now time.Duration) (state, does string) {
	state, does = describeState(v, who, now)
	if who.Stopped && !v.Gone {
		does = fmt.Sprintf("is stopped by a signal (kill -CONT %d lets it go on); %s", who.Pid, does)
	}
	return state, does
}

func describeState(v *job.View, who Rank, now time.Duration) (state, does string) {
	switch {
	case v.Gone:
		return "ended", "has ended"
	case who.Pid == 0:
		return "not started", "has not been started: " + who.Program
	case v.Waits:
		return waiting, describeWait(*v, InParentheses(who.Place), now)
	case v.State == job.StateNone:
		return "not initialized", "has not called Init: " + who.Program
	case v.State == job.StateFinal:
		return "finalized", "has called Finalize"
	case v.State == job.StateAborted:
		return v.State.String(), "ends after an error"
	case v.State == job.StateFaulted:
		return v.State.String(), "has got a fatal signal, and reports it"
	case v.Polls.Op != job.OpNone:
		return running, DescribePolls(v.Polls, InParentheses(who.Place))
	}
	return running, "runs: waits in no call"
}

// callOf is the program's name of its call, or else does, the name of its action.
func callOf(v job.View, does string) string {
	if v.Waiting.Call != "" {
		return v.Waiting.Call
	}
	return does
}

func describeWait(v job.View, place string, now time.Duration) string {
	since := waited(v, now).Round(time.Millisecond)
	if v.Waiting.Op == job.OpCollective {
		return describeCollective(v, place, since)
	}
	call := callOf(v, v.Waiting.Op.String()) + place
	c, named := &v.Waiting.Collective, len(v.For) > 0 && v.Waiting.Collective.Missing == len(v.For)
	switch {
	case v.Waiting.Op != job.OpWait:
	case c.Name != "" && named:
		return fmt.Sprintf("in %s for %v, waits for %s of %s, held by %s", call, since, c.Name, placeOf(&v.Waiting),
			rankList(v.For, 0))
	case c.Name != "":
		return fmt.Sprintf("in %s for %v, waits for %s of %s", call, since, c.Name, placeOf(&v.Waiting))
	case named:
		return fmt.Sprintf("in %s for %v, waits for a message of %s", call, since, anyOf(v.For))
	}
	if v.Waiting.Op == job.OpReady {
		return fmt.Sprintf(
			"in %s for %v, waits for its own MPI_Pready of %d partitions, first of partition %d, of a send: %s",
			call, since, v.Waiting.Bytes, v.Waiting.Collective.Number, peerAndTag(v.Waiting.Peer, v.Waiting.Tag))
	}
	return fmt.Sprintf("in %s for %v, waits for %s", call, since, message(v.Waiting.Operation()))
}

// DescribePolls says what a rank that polls has asked for last, and what it has open beside that.
func DescribePolls(p job.Polls, place string) string {
	does := fmt.Sprintf("polls by %s%s for %s", p.Call, place, describeOperation(p.Operation))
	if p.Open == 0 {
		return does
	}
	open := make([]string, 0, len(p.Others)+1)
	for _, o := range p.Others {
		open = append(open, describeOperation(o))
	}
	if more := p.Open - len(p.Others); more > 0 {
		open = append(open, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s; %d more open: %s", does, p.Open, strings.Join(open, "; "))
}

func describeOperation(o job.Operation) string {
	switch o.Op {
	case job.OpWait:
		return "a nonblocking operation, not of one message"
	case job.OpCollective:
		return cmp.Or(o.Name, "a collective operation")
	case job.OpReady:
		return "a partitioned send whose partitions are not all ready: " + peerAndTag(o.Peer, o.Tag)
	}
	return fmt.Sprintf("a %v: %s", o.Op, message(o))
}

// message says which message an operation is about.
func message(o job.Operation) string {
	if o.Op == job.OpProbe {
		return peerAndTag(o.Peer, o.Tag)
	}
	return fmt.Sprintf("%s, %d bytes", peerAndTag(o.Peer, o.Tag), o.Bytes)
}

func peerAndTag(peer, tag int32) string {
	from, which := "any rank", "any tag"
	if peer != job.AnyPeer {
		from = fmt.Sprintf("rank %d", peer)
	}
	if tag >= 0 {
		which = fmt.Sprintf("tag %d", tag)
	}
	return from + ", " + which
}

func describeCollective(v job.View, place string, since time.Duration) string {
	c := &v.Waiting.Collective
	call := callOf(v, c.Name) + place
	where := placeOf(&v.Waiting)
	if len(v.For) == 0 {
		return fmt.Sprintf("in %s on %s for %v, all members are there", call, where, since)
	}
	return fmt.Sprintf("in %s on %s for %v, waits for %s", call, where, since, rankList(v.For, v.Unnamed))
}

// placeOf names the communicator or the window of a wait.
func placeOf(w *job.Waiting) string {
	what, name := w.Collective.On()
	if name == "" {
		return fmt.Sprintf("a %s without a name (context %d)", what, w.Context)
	}
	return fmt.Sprintf("%s %q", what, name)
}

func waited(v job.View, now time.Duration) time.Duration {
	return now - time.Duration(v.Waiting.Since)
}

// rankList names ranks, but not very many of them; there are so many more.
func rankList(ranks []int, unnamed int) string {
	const most = 8
	names := make([]string, 0, most+1)
	for _, r := range ranks[:min(len(ranks), most)] {
		names = append(names, fmt.Sprint(r))
	}
	if more := len(ranks) + unnamed - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return ranksWord(len(ranks)) + strings.Join(names, ", ")
}

// anyOf names ranks of which one is enough.
func anyOf(ranks []int) string {
	if len(ranks) == 1 {
		return rankList(ranks, 0)
	}
	return "any of " + rankList(ranks, 0)
}

func ranksWord(n int) string {
	if n == 1 {
		return "rank "
	}
	return "ranks "
}

// OfWorld says which rank of which late world a rank of the job is.
func OfWorld(w job.World, rank int) string {
	if w.Number == 0 {
		return ""
	}
	return fmt.Sprintf(" (rank %d of world %d)", rank-w.First, w.Number)
}
