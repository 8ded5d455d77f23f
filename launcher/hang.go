package launcher

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/processes"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/internal/trace/symbol"
)

// stillness is how long ranks must have waited before a cycle among them counts
// as a deadlock: a message that is already there wakes its receiver long before.
const stillness = 100 * time.Millisecond

// farStillness is stillness among nodes: they are not looked at at the same moment, and the
// network may have to send a message again.
const farStillness = time.Second

// HangReport is what the report of the ranks begins with, which QUIT asks for.
const HangReport = "what the ranks do:\n"

// tellHang says the report of the ranks, and has it written to a file; "" is none.
func tellHang(views []job.View, who []started, proof *job.Proof, file string, say func(string, ...any), messages *queue) {
	now := time.Duration(sys.Monotonic())
	say(HangReport+"%s", hangReport(views, who, now, proof))
	messages.put(func() {
		if err := writeHang(file, views, who, now, proof); err != nil {
			say("%v", err)
		}
	})
}

// hangReport says what each rank does, which rank waits for which, and names a deadlock where there
// is one. It is made of the views alone: askHang has asked the ranks before.
func hangReport(views []job.View, who []started, now time.Duration, proof *job.Proof) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	still := stillness
	if who[0].node == "" {
		fmt.Fprintln(w, "  rank\tpid\tstate")
	} else {
		fmt.Fprintln(w, "  rank\tnode\tpid\tstate")
		still = farStillness
	}
	for _, v := range views {
		node := ""
		if p := who[v.Rank]; p.node != "" {
			node = p.node + "\t"
		}
		fmt.Fprintf(w, "  %d\t%s%s\t%s\n", v.Rank, node, who[v.Rank].number(), describeView(v, who[v.Rank], now))
	}
	_ = w.Flush() // a strings.Builder does not fail
	b.WriteString(describeMismatch(views))
	b.WriteString(describeRefused(views))
	b.WriteString(describeFinalize(views))
	b.WriteString(describeSilence(views, who))
	if proof != nil {
		b.WriteString(describeProof(views, proof, now))
	} else {
		b.WriteString(describeDeadlock(views, now, still))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// started is the supervisor's record of a rank.
type started struct {
	node    string // "": the job has one node
	pid     int    // 0: it has not been started
	program string
	stopped bool         // by a signal, as far as that is known: of ranks on this node
	place   symbol.Place // of the call in which it waits
}

func (s started) number() string {
	if s.pid == 0 {
		return "-"
	}
	return fmt.Sprint(s.pid)
}

// describeView says what a rank does. If it is stopped that comes first, then what it did before.
func describeView(v job.View, who started, now time.Duration) string {
	does := describeState(v, who, now)
	if who.stopped && !v.Gone {
		return fmt.Sprintf("is stopped by a signal (kill -CONT %d lets it go on); %s", who.pid, does)
	}
	return does
}

func describeState(v job.View, who started, now time.Duration) string {
	switch {
	case v.Gone:
		return "has ended"
	case who.pid == 0:
		return "has not been started: " + who.program
	case v.Waits:
		return describeWait(v, inParentheses(who.place), now)
	case v.State == job.StateNone:
		return "has not called Init: " + who.program
	case v.State == job.StateFinal:
		return "has called Finalize"
	}
	if v.Polls.Op != job.OpNone {
		return describePolls(v.Polls, inParentheses(who.place))
	}
	return "runs: waits in no call"
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
	if v.Waiting.Op == job.OpWait && len(v.For) > 0 && v.Waiting.Collective.Missing == len(v.For) {
		return fmt.Sprintf("in %s for %v, waits for a message of %s", call, since, anyOf(v.For))
	}
	if v.Waiting.Op == job.OpReady {
		return fmt.Sprintf(
			"in %s for %v, waits for its own MPI_Pready of %d partitions, first of partition %d, of a send: %s",
			call, since, v.Waiting.Bytes, v.Waiting.Collective.Number, peerAndTag(v.Waiting.Peer, v.Waiting.Tag))
	}
	return fmt.Sprintf("in %s for %v, waits for %s", call, since, message(v.Waiting.Operation()))
}

// describePolls says what a rank that polls has asked for last, and what it has open beside that.
func describePolls(p job.Polls, place string) string {
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
	if o.Op == job.OpWait {
		return "a nonblocking operation, not of one message"
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
	where := fmt.Sprintf("communicator %q", c.Communicator)
	if c.Communicator == "" {
		where = fmt.Sprintf("a communicator without a name (context %d)", v.Waiting.Context)
	}
	if len(v.For) == 0 {
		return fmt.Sprintf("in %s on %s for %v, all members are there", call, where, since)
	}
	return fmt.Sprintf("in %s on %s for %v, waits for %s", call, where, since, rankList(v.For, v.Unnamed))
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

// describeMismatch names two ranks that wait in different calls where all ranks of the communicator
// make the same, or says nothing.
func describeMismatch(views []job.View) string {
	first := map[uint64]*job.View{} // by the call
	for i := range views {
		v := &views[i]
		c := &v.Waiting.Collective
		if !v.Waits || v.Waiting.Op != job.OpCollective || c.Agreed.Signature == 0 {
			continue
		}
		o := first[c.Agreed.Turn]
		switch {
		case o == nil:
			first[c.Agreed.Turn] = v
		case o.Waiting.Collective.Agreed.Signature == c.Agreed.Signature:
		case o.Waiting.Collective.Name == c.Name:
			return fmt.Sprintf("  ranks %d and %d have called %s with different roots, operators or lengths: %s\n",
				o.Rank, v.Rank, c.Name, sameCalls)
		default:
			return fmt.Sprintf("  rank %d has called %s, and rank %d in its place %s: %s\n", o.Rank,
				o.Waiting.Collective.Name, v.Rank, c.Name, sameCalls)
		}
	}
	return ""
}

const sameCalls = "all ranks of a communicator call the same collectives in the same order (--check " +
	"finds where they do not)"

// describeRefused names ranks that wait after a collective call of theirs was refused: others may wait for them in it.
func describeRefused(views []job.View) string {
	var b strings.Builder
	for i := range views {
		if v := &views[i]; v.Waits && v.Waiting.Refused != "" {
			fmt.Fprintf(&b, "  rank %d was refused a call before: %s\n", v.Rank, v.Waiting.Refused)
		}
	}
	return b.String()
}

// describeSilence names a rank that hears nothing of one on another node, or says nothing. A rank that makes no MPI
// call answers nobody.
func describeSilence(views []job.View, who []started) string {
	for _, v := range views {
		f := v.Far
		if f.Silent == 0 || v.Gone {
			continue
		}
		cause, peer := "the network may be down", int(f.Silent-1)
		if p := &views[peer]; !p.Waits && !p.Gone {
			cause = fmt.Sprintf("rank %d makes no MPI call, or %s", peer, cause)
		}
		return fmt.Sprintf("  rank %d has sent to rank %d on %s by device %d and hears nothing: %s\n",
			v.Rank, peer, who[peer].node, f.Device, cause)
	}
	return ""
}

// describeDeadlock proves a deadlock or says nothing.
func describeDeadlock(views []job.View, now, still time.Duration) string {
	dead, cycle := job.Deadlocked(views)
	if len(dead) == 0 {
		return ""
	}
	shortest := waited(views[dead[0]], now)
	for _, r := range dead {
		shortest = min(shortest, waited(views[r], now))
	}
	if shortest < still {
		return ""
	}
	kind, verdict := judge(views, dead)
	if slices.ContainsFunc(dead, func(r int) bool { return views[r].Waiting.Op == job.OpReady }) {
		return fmt.Sprintf("  a rank waits for its own MPI_Pready: %s\n", verdict)
	}
	if len(cycle) == 0 {
		return fmt.Sprintf("  a rank that others wait for has called Finalize: %s\n", verdict)
	}
	return fmt.Sprintf("  %s: %s; nothing has moved for %v, and %s\n", kind, steps(cycle),
		shortest.Round(time.Millisecond), verdict)
}

// steps names the ranks of a cycle.
func steps(cycle []int) string {
	names := make([]string, 0, len(cycle)+1)
	for _, r := range append(cycle[:len(cycle):len(cycle)], cycle[0]) {
		names = append(names, fmt.Sprintf("rank %d", r))
	}
	return strings.Join(names, " waits for ")
}

// judge says what becomes of ranks that wait for one another only: a deadlock, or a circle that another goroutine or
// thread may break. A rank shows one wait.
func judge(views []job.View, dead []int) (kind, verdict string) {
	var others []int
	for _, r := range dead {
		if views[r].Waiting.Others {
			others = append(others, r)
		}
	}
	if len(others) == 0 {
		return "deadlock", rankList(dead, 0) + " can never go on"
	}
	return "circle", "only other goroutines or threads of " + rankList(others, 0) + " could end that"
}

// describeProof says what is proved.
func describeProof(views []job.View, p *job.Proof, now time.Duration) string {
	shortest := waited(views[p.Ranks[0]], now)
	for _, r := range p.Ranks {
		shortest = min(shortest, waited(views[r], now))
	}
	what := ""
	switch {
	case len(p.Cycle) > 0:
		what = steps(p.Cycle) + "; "
	case p.All:
		what = "all ranks wait, and no message is on its way; "
	}
	return fmt.Sprintf("  deadlock, proved: %snothing has moved for %v, and %s can never go on\n",
		what, shortest.Round(time.Millisecond), rankList(p.Ranks, 0))
}

// stopped tells whether a process is stopped by a signal.
func stopped(pid int) bool {
	p, ok := processes.Find(pid) // not ok: it has not been started, or has gone
	return ok && p.State == 'T'
}
