package hang

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
)

// hangReport says what each rank does, which rank waits for which, and names a deadlock where there
// is one. It is made of the views alone: package watch has had the ranks asked before.
func hangReport(views []job.View, who []Rank, now time.Duration, proof *job.Proof) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if who[0].Node == "" {
		fmt.Fprintln(w, "  rank\tpid\tstate")
	} else {
		fmt.Fprintln(w, "  rank\tnode\tpid\tstate")
	}
	for _, v := range views {
		node := ""
		if p := who[v.Rank]; p.Node != "" {
			node = p.Node + "\t"
		}
		_, does := describeView(&v, who[v.Rank], now)
		fmt.Fprintf(w, "  %d%s\t%s%s\t%s\n", v.Rank, who[v.Rank].World, node, who[v.Rank].number(), does)
	}
	_ = w.Flush() // a strings.Builder does not fail
	b.WriteString(notes(views, who, now, proof))
	return strings.TrimSuffix(b.String(), "\n")
}

// notes are the lines of the report behind those of the ranks.
func notes(views []job.View, who []Rank, now time.Duration, proof *job.Proof) string {
	still := stillness
	if who[0].Node != "" {
		still = farStillness
	}
	last := ""
	if proof != nil {
		last = describeProof(views, proof, now)
	} else {
		last = describeDeadlock(views, now, still)
	}
	return describeVisitors(views) + describeMismatch(views) + describeRefused(views) + describeFinalize(views) +
		describeSilence(views, who) + last
}

// describeVisitors says who the ranks of other jobs are that others wait for.
func describeVisitors(views []job.View) string {
	var lines []string
	for i := range views {
		for _, who := range views[i].Visitors {
			if line := "  " + who + "\n"; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "")
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
				o.Rank, v.Rank, c.Name, SameCalls)
		default:
			return fmt.Sprintf("  rank %d has called %s, and rank %d in its place %s: %s\n", o.Rank,
				o.Waiting.Collective.Name, v.Rank, c.Name, SameCalls)
		}
	}
	return ""
}

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
func describeSilence(views []job.View, who []Rank) string {
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
			v.Rank, peer, who[peer].Node, f.Device, cause)
	}
	return ""
}
