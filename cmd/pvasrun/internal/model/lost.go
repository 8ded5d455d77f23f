package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
)

const (
	topWaits  = 12   // places that are listed
	topLosses = 3    // reasons that are told first
	leastLoss = 0.01 // of all time, below which they are not
)

// explain adds to a page what ranks spend their time on, what they wait for, and before all else why. It goes by what
// was measured, or, of a program that was not, by what is predicted. What is predicted of another machine comes
// besides, if it is given.
func (p *Program) explain(page *show.Page, predicted *waits.Run, opt sim.Options) error {
	run, time, report := predicted, 0.0, (*waits.Report)(nil)
	if p.measured != nil {
		run, report = p.measured.run, p.measured.report
	} else {
		report = waits.Analyze(run, costOn(&opt.Machine))
	}
	for _, t := range report.Ranks {
		time = max(time, t.Total())
	}
	ideal := opt
	ideal.Ideal = true
	if p.measured != nil {
		ideal.Compute, ideal.Synchronous = 1, false
	}
	least, err := sim.Run(p.Graph, ideal)
	if err != nil {
		return modelMistake(err)
	}
	told := tell(run, report)
	page.Facts = append(append(told, sayEfficiency(report.Ranks, waits.Efficiencies(report.Ranks, time, least.Time()))),
		page.Facts...)
	page.Tables = append(page.Tables, ranksTable(report.Ranks, p.ranks), waitsTable("What ranks wait for", run, report))
	if p.measured != nil && predicted != nil {
		page.Tables = append(page.Tables,
			waitsTable("What ranks would wait for", predicted, waits.Analyze(predicted, nil)))
	}
	return nil
}

// number numbers the place of an operation.
func (p *Program) number(id graph.ID) uint32 { return p.Graph.Op(id).Site }

// costOn is what messages take on a machine.
func costOn(m *loggps.Machine) waits.Cost {
	return func(src, dst int, bytes int64) float64 {
		return m.Links[m.LinkOf(src, dst, 0)].Params.CommTime(bytes, 0)
	}
}

// tell says for which reasons most time was lost.
func tell(run *waits.Run, report *waits.Report) (lines []string) {
	all := 0.0
	for _, t := range report.Ranks {
		all += t.Total()
	}
	for _, f := range report.Findings {
		if len(lines) == topLosses || f.Lost < leastLoss*all {
			break
		}
		lines = append(lines,
			fmt.Sprintf("%s: %s (%s of all time)", f.Cause, sayFinding(run, &f), percentOf(f.Lost, all)))
	}
	return lines
}

func sayFinding(run *waits.Run, f *waits.Finding) string {
	root, here := run.Places[f.RootPlace], run.Places[f.Place]
	lost := fmt.Sprintf("%s for %s in %s", sayRanks(f.Ranks), show.Time(f.Lost), here)
	switch f.Cause {
	case waits.SerialChain:
		return fmt.Sprintf("%s compute one after another before %s, and wait: %s", sayRanks(f.Roots), root, lost)
	case waits.SlowFile:
		return fmt.Sprintf("%s is in %s, %.4g MB: %s", sayRanks(f.Roots), root, float64(f.Bytes)/1e6, lost)
	case waits.HotRank:
		return fmt.Sprintf("all go to %s in %s, and wait: %s", sayRanks(f.Roots), root, lost)
	case waits.Imbalance:
		return fmt.Sprintf("%s computes most before %s, and %s less: %s all together", sayRanks(f.Roots), root,
			sayRanks(f.Ranks), show.Time(f.Lost))
	case waits.Elsewhere:
		return fmt.Sprintf("what %s does is left out or was not recorded, and others wait: %s", sayRanks(f.Roots), lost)
	case waits.Contention:
		return fmt.Sprintf("messages take %.3g times as long as alone, as others are on their way: %s", f.Times,
			lost)
	case waits.Delay:
		return fmt.Sprintf("others have the CPUs, or messages are slower than the parameters say: %s and elsewhere",
			lost)
	case waits.SmallMessages, waits.Transfer:
		return fmt.Sprintf("%s: %d calls, %d messages of %d B", lost, f.Calls, f.Messages,
			f.Bytes/int64(max(f.Messages, 1)))
	}
	return fmt.Sprintf("%s %s %s, and others wait: %s", sayRanks(f.Roots), sayDoes(f.RootDoes), root, lost)
}

func sayDoes(a waits.Activity) string {
	return [...]string{"computes before", "is in", "is in", "has no CPU before", "is late in"}[a]
}

// sayRanks names ranks: "rank 3", "ranks 0, 1 and 2", or "ranks 0 to 7".
func sayRanks(list []int) string {
	n := len(list)
	switch {
	case n == 0:
		return "no rank"
	case n == 1:
		return fmt.Sprintf("rank %d", list[0])
	case n > 3 && list[n-1]-list[0] == n-1:
		return fmt.Sprintf("ranks %d to %d", list[0], list[n-1])
	case n > 8:
		return fmt.Sprintf("ranks %s and %d others", strings.Trim(fmt.Sprint(list[:4]), "[]"), n-4)
	}
	text := fmt.Sprint(list[0])
	for _, r := range list[1 : n-1] {
		text += fmt.Sprintf(", %d", r)
	}
	return fmt.Sprintf("ranks %s and %d", text, list[n-1])
}

func sayEfficiency(ranks []waits.Times, e waits.Efficiency) string {
	if e.LoadBalance == 0 {
		return "parallel efficiency 0 %: no rank computes"
	}
	most := slices.IndexFunc(ranks, func(t waits.Times) bool {
		return !slices.ContainsFunc(ranks, func(u waits.Times) bool { return u.Computed > t.Computed })
	})
	return fmt.Sprintf("parallel efficiency %.0f %% = load balance %.0f %% (rank %d computes most) x serialisation "+
		"efficiency %.0f %% x transfer efficiency %.0f %%",
		100*e.Parallel(), 100*e.LoadBalance, most, 100*e.Serialisation, 100*e.Transfer)
}

func percentOf(part, whole float64) string {
	return fmt.Sprintf("%.1f %%", 100*part/max(whole, 1))
}

// ranksTable is what each rank spends its time on.
func ranksTable(ranks []waits.Times, only []int) show.Table {
	t := show.Table{
		Title: "What ranks spend their time on",
		Note: "Waited: in a call, until the peer was there. Transferred: the rest of the time in calls, also that of " +
			"collective ones.",
		Columns: []string{"rank", "computed", "transferred", "waited", "files", "without a CPU"},
	}
	for rank, r := range ranks {
		if only != nil && !slices.Contains(only, rank) {
			continue
		}
		all := r.Total()
		row := []string{fmt.Sprint(rank)}
		for _, ns := range []float64{r.Computed, r.Transferred, r.Waited, r.File, r.Off} {
			row = append(row, fmt.Sprintf("%s (%s)", show.Time(ns), percentOf(ns, all)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// waitsTable is what ranks wait for.
func waitsTable(title string, run *waits.Run, report *waits.Report) show.Table {
	t := show.Table{
		Title:   title,
		Note:    "Where ranks wait longest, all ranks together: for whom, and whose doing it is.",
		Columns: []string{"place", "for", "cause", "because", "times", "waited", "share of all time"},
	}
	all := 0.0
	for _, r := range report.Ranks {
		all += r.Total()
	}
	for _, w := range report.Waits[:min(len(report.Waits), topWaits)] {
		t.Rows = append(t.Rows, []string{run.Places[w.Place],
			fmt.Sprintf("rank %d, %s", w.Peer, run.Places[w.PeerPlace]), w.Cause.String(),
			fmt.Sprintf("rank %d %s %s", w.Root, sayDoes(w.RootDoes), run.Places[w.RootPlace]), fmt.Sprint(w.Count),
			show.Time(w.Waited), percentOf(w.Waited, all)})
	}
	return t
}
