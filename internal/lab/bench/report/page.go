package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/chart"
)

//go:embed page.html
var pageHTML string

// page is what the template shows.
type page struct {
	Machine  string      // "": not known
	Facts    [][2]string // name and value
	Sections []pageSection
	CSS      template.CSS // of charts
}

type pageSection struct {
	ID, Title, About, Paper, Command string
	Rounds                           int
	Skipped                          string
	Failed                           []string
	Facts                            []fact
	Figures                          []pageFigure
}

type pageFigure struct {
	Title, Unit, Better, X string
	Columns                []chart.Curve
	Chart                  template.HTML
	Rows                   []row
	Ratio                  string // what the ratio in a cell is
	Unclear                bool   // some ratio is marked
}

// Wide tells whether the table may be wider than a phone.
func (f pageFigure) Wide() bool { return len(f.Columns) > 2 }

// Page writes the report of a file as HTML. The page is complete: it loads nothing.
func Page(w io.Writer, f results.File) error {
	p := page{CSS: template.CSS(chart.CSS())}
	p.describe(f.Environments)
	for _, e := range ordered(experiments(f)) {
		s := e.section(len(f.Environments) > 0)
		if len(s.figures) == 0 {
			continue
		}
		p.Sections = append(p.Sections, s.show(e))
	}
	if len(p.Sections) == 0 {
		return fmt.Errorf("report: the file has no experiment that is known; was it written by a newer version?")
	}
	if err := template.Must(template.New("page").Parse(pageHTML)).Execute(w, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// ordered are experiments as the paper has them, then the others.
func ordered(list []*experiment) []*experiment {
	slices.SortStableFunc(list, func(a, b *experiment) int { return a.place() - b.place() })
	return list
}

// place is the index of the section that the experiment has, or what is behind them all.
func (e *experiment) place() int {
	for i, s := range sections {
		if s.experiment == e.name {
			return i
		}
	}
	return len(sections)
}

// section is that of the experiment. Only what bench all has measured is known to be done as
// the paper's sections say.
func (e *experiment) section(all bool) section {
	if i := e.place(); all && i < len(sections) {
		return sections[i]
	}
	return generic(e)
}

// describe says what was measured on: the last environment, and when the first was.
func (p *page) describe(all []results.Environment) {
	if len(all) == 0 {
		return
	}
	e := all[len(all)-1]
	p.Machine = fmt.Sprintf("%d CPUs, %s, Linux %s", e.CPUs, e.CPU, e.Kernel)
	cma := "not permitted"
	if e.CMA {
		cma = "permitted"
	}
	p.Facts = [][2]string{
		{"Processor", fmt.Sprintf("%s, %d CPUs (%s)", e.CPU, e.CPUs, e.Arch)},
		{"Memory", fmt.Sprintf("%.1f GiB", float64(e.MemoryMiB)/1024)},
		{"Kernel", "Linux " + e.Kernel},
		{"Huge pages", e.HugePages},
		{"process_vm_readv", cma},
		{"gopvas", e.Version + ", " + e.Go},
		{"Commit", cmp.Or(e.Commit, notRecorded)},
		{"Virtual machine", cmp.Or(e.Virtual, notRecorded)},
		{"Load", loads(all)},
	}
	peers := map[string]string{}
	for _, e := range all {
		maps.Copy(peers, e.Peers)
	}
	var names []string
	for _, name := range sortedKeys(peers) {
		names = append(names, strings.TrimSpace(name+" "+peers[name]))
	}
	if len(names) > 0 {
		p.Facts = append(p.Facts, [2]string{"Compared with", strings.Join(names, ", ")})
	}
	p.Facts = append(p.Facts, [2]string{"Measured", all[0].Started.UTC().Format("2006-01-02 15:04 MST")})
}

const notRecorded = "not recorded"

// loads are the load averages at the start of each run that the file has.
func loads(all []results.Environment) string {
	var list []string
	for _, e := range all {
		if e.Load != nil {
			list = append(list, fmt.Sprintf("%.2f", *e.Load))
		}
	}
	if len(list) == 0 {
		return notRecorded
	}
	return strings.Join(list, ", ") + " at the start"
}

// show fills a section in.
func (s *section) show(e *experiment) pageSection {
	p := pageSection{
		ID: s.experiment, Title: s.title, About: s.about, Paper: s.paper, Command: e.command,
		Rounds: e.rounds(), Skipped: e.skipped,
	}
	for _, round := range sortedKeys(e.failed) {
		p.Failed = append(p.Failed, fmt.Sprintf("Round %d has failed: %s", round, e.failed[round].Failed))
	}
	if s.facts != nil && len(e.samples) > 0 {
		p.Facts = s.facts(e)
	}
	for _, f := range s.figures {
		for _, g := range f.grids(e.samples) {
			p.Figures = append(p.Figures, g.show())
		}
	}
	return p
}

// heading is the title of the figure.
func (g *grid) heading() string {
	if g.group != "" {
		return g.title + ", " + g.group
	}
	return g.title
}

func (g *grid) better() string {
	if g.more {
		return "more is better"
	}
	return "less is better"
}

func (g *grid) show() pageFigure {
	c := g.chart()
	p := pageFigure{Title: g.heading(), Unit: g.unit, Better: g.better(), X: g.x.name, Rows: g.rows(),
		Columns: c.Curves, Chart: template.HTML(c.SVG())}
	for _, r := range p.Rows {
		p.Unclear = p.Unclear ||
			slices.ContainsFunc(r.Cells, func(c cell) bool { return strings.HasPrefix(c.Ratio, unclear) })
	}
	if len(g.curves) > 1 && slices.ContainsFunc(g.curves, func(c curve) bool { return c.name == g.base }) {
		p.Ratio = g.base + " to it"
		if g.of != nil {
			p.Ratio = "it to " + g.base
		}
	}
	return p
}
