package show

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// program is a prediction of a halo exchange, and its page.
func program(t *testing.T, side, times int) (*graph.Graph, *Prediction, *Page) {
	t.Helper()
	g, err := pattern.Program(side*side, func(m pattern.Member) {
		m.Site = 1
		m.Halo([]int{side, side}, 20_000, 100_000, times)
		m.Site = 2
		m.BinomialBcast(1000, 0)
	})
	require.NoError(t, err)
	link, err := loggps.Preset("myrinet")
	require.NoError(t, err)
	opt := sim.Options{Machine: loggps.Machine{Links: []loggps.Link{link}}}
	p, err := Predict(g, opt, true)
	require.NoError(t, err)
	tables, err := p.Explain(g, opt, loggps.Unlimited)
	require.NoError(t, err)
	measured := p.Timeline
	measured.Name, measured.Path = "measured", nil
	page := &Page{
		Title: "halo", Facts: []string{"a test"}, Timelines: []Timeline{measured, p.Timeline}, Calls: Calls,
		Sites: []string{"", "halo.go:1", "halo.go:2"}, Tables: tables,
	}
	return g, p, page
}

func TestPrediction(t *testing.T) {
	g, p, page := program(t, 2, 5)
	for rank, lane := range p.Lanes {
		now := 0.0
		for _, piece := range lane {
			require.Equal(t, now, piece.From)
			now = piece.To
		}
		require.Equal(t, p.Result.Finish[rank], now)
	}
	sends := 0
	for id := range graph.ID(g.Len()) {
		if g.Op(id).Kind.Sends() {
			sends++
		}
	}
	require.Len(t, p.Messages, sends)
	for i, m := range p.Messages {
		require.Greater(t, m.Came, m.Sent)
		require.True(t, i == 0 || p.Messages[i-1].Sent <= m.Sent)
	}
	hops := p.Timeline.Path
	require.Zero(t, hops[0].From)
	require.InDelta(t, p.Result.Time(), hops[len(hops)-1].To, 1e-6)

	require.Len(t, page.Tables, 2)
	require.Equal(t, "Gs", page.Tables[0].Rows[0][0])
	require.Equal(t, "20000", page.Tables[1].Rows[1][0])
}

func TestSharedCPUsHaveNoPath(t *testing.T) {
	g, _, _ := program(t, 2, 1)
	p, err := Predict(g, sim.Options{Machine: loggps.Single(loggps.Params{L: 5, Sync: 1 << 20}),
		Share: &sim.Share{CPUs: 2}}, true)
	require.NoError(t, err)
	require.Nil(t, p.Path)
	require.Empty(t, p.Timeline.Path)
}

func TestTime(t *testing.T) {
	for ns, want := range map[float64]string{0: "0 ns", 999: "999 ns", 1500: "1.5 µs",
		2.5e6: "2.5 ms", 61.25e9: "61.25 s"} {
		require.Equal(t, want, Time(ns))
	}
}

// The legend has what occurs, and the page says which timeline is which.
func TestLegend(t *testing.T) {
	lane := [][]Piece{{{From: 0, To: 5, Kind: Sending, Peer: -1}}}
	page := &Page{Timelines: []Timeline{{Name: "measured", Lanes: lane}, {Name: "plan: wrap", Lanes: lane}},
		Calls: []string{""}}
	var b bytes.Buffer
	require.NoError(t, page.Write(&b))
	require.Equal(t, []shownKind{{int(Sending), "send"}}, page.legend())
	require.NotContains(t, b.String(), "</i>critical path")
	require.Contains(t, b.String(), "In each lane, from above: measured, plan: wrap.")
	_, _, page = program(t, 2, 1)
	b.Reset()
	require.NoError(t, page.Write(&b))
	require.Contains(t, b.String(), "</i>critical path")
}

// A page's own kinds have a colour each, in the legend and the bars.
func TestOwnKinds(t *testing.T) {
	lane := []Piece{{From: 0, To: 5, Kind: 1, Peer: -1}, {From: 5, To: 8, Kind: 9, Peer: -1}}
	page := &Page{Timelines: []Timeline{{Name: "measured", Lanes: [][]Piece{lane}}}, Kinds: []string{"latency"}}
	for i := range 9 {
		page.Kinds = append(page.Kinds, fmt.Sprintf("message %d", i))
	}
	var b bytes.Buffer
	require.NoError(t, page.Write(&b))
	require.Equal(t, []shownKind{{1, "message 0"}, {9, "message 8"}}, page.legend())
	colours := map[string]bool{}
	for i := range page.Kinds {
		found := regexp.MustCompile(fmt.Sprintf(`--k%d: (.*?); } .k%[1]d \{`, i)).FindStringSubmatch(b.String())
		require.NotNil(t, found, "kind %d", i)
		colours[found[1]] = true
	}
	require.Len(t, colours, len(page.Kinds))
	require.Contains(t, b.String(), `title="message 8: 3 ns, 37.5 %"`)

	page.Kinds = make([]string, 257)
	require.ErrorContains(t, page.Write(&b), "257 kinds")
}

func TestPageOfNothing(t *testing.T) {
	require.ErrorContains(t, (&Page{Timelines: []Timeline{{}}}).Write(&bytes.Buffer{}), "0 ranks")
}

// DUMP=FILE writes the page of a large program, to look at.
func TestDump(t *testing.T) {
	name := os.Getenv("DUMP")
	if name == "" {
		t.Skip("only to look at: DUMP=page.html go test -run Dump")
	}
	var b bytes.Buffer
	_, _, page := program(t, 8, 700)
	require.NoError(t, page.Write(&b))
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
}
