package show

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a rank does, by which a piece is coloured. A page may have kinds of its own.
type Kind uint8

const (
	Compute  Kind = iota // computing
	Overhead             // in calls, without waiting
	Sending              // sending, or waiting until a message may leave
	Receive              // receiving, or waiting for a message
	Wait                 // waiting for several things, or in a collective
	Turn                 // waiting for a CPU
	Other
	numKinds
)

// kindNames are for a legend.
var kindNames = [numKinds]string{"computation", "overhead", "send", "receive", "wait, collective",
	"waiting for a CPU", "nothing"}

// A Piece is what a rank does for some time, in nanoseconds.
type Piece struct {
	From, To float64
	Kind     Kind
	Call     uint8  // index in Page.Calls
	Site     uint32 // index in Page.Sites
	Peer     int32  // -1: none
	Bytes    int64
}

// A Message goes from a rank at one time to another one at a later time, in nanoseconds.
type Message struct {
	Src, Dst   int32
	Sent, Came float64
	Bytes      int64
}

// A Timeline is all ranks, in one way of knowing what they do.
type Timeline struct {
	Name     string    // such as measured
	Lanes    [][]Piece // by rank, in order of time
	Messages []Message // in order of Sent
	Path     []Hop     // critical path, in order of time
}

// A Hop is a piece of the critical path, in nanoseconds.
type Hop struct {
	Rank     int32
	From, To float64
}

// A Table is shown below the picture. Cells of all columns but the first are numbers.
type Table struct {
	Title, Note string
	Columns     []string
	Rows        [][]string
}

// Page is what is shown.
type Page struct {
	Title     string
	Facts     []string // lines below the title
	Timelines []Timeline
	Names     []string // of the lanes; nil: rank 0, rank 1, ...
	Kinds     []string // names of the kinds of its own, at most 256; nil: those of this package
	Calls     []string // names of calls; [0] is none
	Sites     []string // places in the program; [0] is none
	Tables    []Table
}

// Adopt renumbers a timeline that has tables of calls and sites of its own. It adds the tables
// to those of the page, changes the pieces of the timeline, and returns it.
func (p *Page) Adopt(t Timeline, calls, sites []string) Timeline {
	firstCall, firstSite := len(p.Calls), len(p.Sites)
	p.Calls = append(p.Calls[:firstCall:firstCall], calls...)
	p.Sites = append(p.Sites[:firstSite:firstSite], sites...)
	for _, lane := range t.Lanes {
		for i := range lane {
			if lane[i].Call > 0 {
				lane[i].Call += uint8(firstCall)
			}
			if lane[i].Site > 0 {
				lane[i].Site += uint32(firstSite)
			}
		}
	}
	return t
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Write writes the page as HTML. It is one file that loads nothing else. The page must have
// 1 to 65,535 ranks.
func (p *Page) Write(w io.Writer) error {
	ranks, total := 0, 0.0
	for _, t := range p.Timelines {
		ranks = max(ranks, len(t.Lanes))
		total = max(total, t.end())
	}
	if ranks == 0 || ranks > math.MaxUint16 {
		return fmt.Errorf("show: page: %d ranks; want 1 to %d", ranks, math.MaxUint16)
	}
	if len(p.Kinds) > math.MaxUint8+1 {
		return fmt.Errorf("show: page: %d kinds; want at most %d", len(p.Kinds), math.MaxUint8+1)
	}
	scale := newScale(total)
	head := header{Unit: scale.unit, Total: total, Ranks: ranks, Kinds: p.kinds(), Own: p.Kinds != nil, Names: p.Names,
		Calls: p.Calls, Sites: p.Sites}
	var data bytes.Buffer
	for i := range p.Timelines {
		head.Timelines = append(head.Timelines, p.Timelines[i].encode(&data, scale))
	}
	packed, err := pack(data.Bytes())
	if err != nil {
		return fmt.Errorf("show: page: %w", err)
	}
	text, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("show: page: %w", err)
	}
	err = template.Must(template.New("page").Parse(pageHTML)).Execute(w, map[string]any{
		"Page": p, "CSS": template.CSS(pageCSS + p.colours()), "JS": template.JS(pageJS), "Head": template.JS(text),
		"Data":    template.JS(strconv.Quote(packed)),
		"Legend":  p.legend(),
		"HasPath": slices.ContainsFunc(p.Timelines, func(t Timeline) bool { return len(t.Path) > 0 }),
		"Bars":    p.bars(), "Ranks": ranks,
	})
	if err != nil {
		return fmt.Errorf("show: page: %w", err)
	}
	return nil
}

// end is when the last piece ends.
func (t *Timeline) end() float64 {
	end := 0.0
	for _, lane := range t.Lanes {
		if n := len(lane); n > 0 {
			end = max(end, lane[n-1].To)
		}
	}
	return end
}

// A shownKind is a kind in the legend.
type shownKind struct {
	Number int
	Name   string
}

// kinds are the names of the kinds.
func (p *Page) kinds() []string {
	if p.Kinds != nil {
		return p.Kinds
	}
	return kindNames[:]
}

// colours is the style of the page's own kinds. The first one is grey, which stands for all that is
// none of the others. The hues of those that follow one another are far apart (by the golden angle), and
// every third one is darker.
func (p *Page) colours() string {
	var css strings.Builder
	for i := range p.Kinds {
		colour := "#8c959f"
		if i > 0 {
			colour = fmt.Sprintf("hsl(%.0f 65%% %d%%)", math.Mod(float64(i-1)*goldenAngle+210, 360), 66-12*(i%3))
		}
		fmt.Fprintf(&css, "\n:root { --k%d: %s; } .k%[1]d { background: var(--k%[1]d); }", i, colour)
	}
	return css.String()
}

const goldenAngle = 137.508 // degrees

// legend is the kinds that occur.
func (p *Page) legend() (list []shownKind) {
	occurs := make([]bool, len(p.kinds()))
	for _, t := range p.Timelines {
		for _, lane := range t.Lanes {
			for i := range lane {
				occurs[lane[i].Kind] = true
			}
		}
	}
	for i, name := range p.kinds() {
		if occurs[i] {
			list = append(list, shownKind{i, name})
		}
	}
	return list
}

// A shownBar is a bar as shares of the longest, in percent.
type shownBar struct {
	Label    string
	Segments []segment
	Text     string
}

type segment struct {
	Kind  int
	Width float64
	Title string
}

// bars are the breakdowns of all ranks. Those of a rank in all timelines follow one another.
func (p *Page) bars() (bars []shownBar) {
	longest := 0.0
	for _, t := range p.Timelines {
		longest = max(longest, t.end())
	}
	for rank := range p.Timelines[0].Lanes {
		for _, t := range p.Timelines {
			if rank < len(t.Lanes) {
				bars = append(bars, p.bar(p.name(rank)+", "+t.Name, t.Lanes[rank], longest))
			}
		}
	}
	return bars
}

// name is that of a lane.
func (p *Page) name(lane int) string {
	if lane < len(p.Names) {
		return p.Names[lane]
	}
	return fmt.Sprintf("rank %d", lane)
}

func (p *Page) bar(label string, lane []Piece, longest float64) shownBar {
	spent := make([]float64, len(p.kinds()))
	total := 0.0
	for _, piece := range lane {
		spent[piece.Kind] += piece.To - piece.From
		total += piece.To - piece.From
	}
	b := shownBar{Label: label, Text: Time(total)}
	for k, t := range spent {
		if t > 0 && longest > 0 {
			b.Segments = append(b.Segments,
				segment{k, 100 * t / longest, fmt.Sprintf("%s: %s, %.1f %%", p.kinds()[k], Time(t), 100*t/total)})
		}
	}
	return b
}

// Time says nanoseconds in the unit that fits.
func Time(ns float64) string {
	switch {
	case math.Abs(ns) >= 1e9:
		return fmt.Sprintf("%.4g s", ns/1e9)
	case math.Abs(ns) >= 1e6:
		return fmt.Sprintf("%.4g ms", ns/1e6)
	case math.Abs(ns) >= 1e3:
		return fmt.Sprintf("%.4g µs", ns/1e3)
	}
	return fmt.Sprintf("%.4g ns", ns)
}
