package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/lab/bench/neighbors"
	"github.com/gopvas/gopvas/loggps/show"
)

// printExchange prints a row for each length: the times of each contestant, what a rank sends then, and the formula.
// Beside plain it also prints the gain of the other ways, the time of plain to theirs, as the paper's figure 7 does.
func printExchange(out io.Writer, cfg *neighbors.Config, results [][]neighbors.Result) error {
	first := results[0][0]
	fmt.Fprintf(out, "# exchange, %s, %d ranks, %s, ms\n", several(first.Neighbors, "neighbor"), first.Ranks,
		several(strconv.Itoa(first.Devices), "device"))
	isPlain := func(r neighbors.Result) bool { return r.Contestant == exchange.Plain.String() }
	plain := slices.IndexFunc(results[0], isPlain)
	gains := func(i int, r neighbors.Result) bool { return plain >= 0 && i != plain && !r.Peer }
	w := cli.NewTable(out)
	fmt.Fprint(w, "bytes\trepetitions\tL us\tB MB/s\t")
	for i, r := range results[0] {
		beside := "formula"
		if r.Peer {
			beside = "ratio"
		}
		fmt.Fprintf(w, "%s\tMB/s\t%s\t", r.Contestant, beside)
		if gains(i, r) {
			fmt.Fprint(w, "gain\t")
		}
	}
	fmt.Fprintln(w)
	for _, row := range results {
		counts, err := cfg.Counts(row[0].Bytes)
		if err != nil {
			return err
		}
		bytes := 0
		for _, n := range counts {
			bytes += n
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t", row[0].Bytes, row[0].Repetitions, cli.IfKnown(row[0].Latency),
			cli.IfKnown(row[0].MBytesPerS))
		for i, r := range row {
			second := r.Formula / 1e3
			if r.Peer {
				second = row[0].Median / r.Median
			}
			fmt.Fprintf(w, "%.2f\t%.4g\t%s\t", r.Median/1e3, float64(bytes)/r.Median, cli.IfKnown(second))
			if gains(i, r) {
				fmt.Fprintf(w, "%.2f\t", row[plain].Median/r.Median)
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// several is a number with what is counted.
func several(n, what string) string {
	if n == "1" {
		return n + " " + what
	}
	return n + " " + what + "s"
}

// plotExchange writes a page with what each device has sent when: as measured, and by the plan.
func plotExchange(file string, cfg *neighbors.Config, r neighbors.Result) error {
	page, err := exchangePage(cfg, r)
	if err != nil {
		return fmt.Errorf("bench exchange: plot: %w", err)
	}
	if err := cli.WriteNamed(file, "", 0, page.Write); err != nil {
		return fmt.Errorf("bench exchange: plot: %w", err)
	}
	fmt.Println("see", file)
	return nil
}

func exchangePage(cfg *neighbors.Config, r neighbors.Result) (*show.Page, error) {
	counts, err := cfg.Counts(r.Bytes)
	if err != nil {
		return nil, err
	}
	page := &show.Page{
		Title: fmt.Sprintf("Exchange, %s: %s, messages of %d bytes", r.Contestant,
			several(r.Neighbors, "neighbor"), r.Bytes),
		Facts: []string{"measured, median: " + show.Time(r.Median*1e3)},
		Kinds: []string{"latency", "a message for itself"},
	}
	for i := range min(len(counts), math.MaxUint8-1) {
		page.Kinds = append(page.Kinds, fmt.Sprintf("message %d", i))
	}
	measured := show.Timeline{Name: "measured", Lanes: make([][]show.Piece, r.Ranks*r.Devices)}
	for rank := range r.Ranks {
		for device := range r.Devices {
			page.Names = append(page.Names, fmt.Sprintf("rank %d, device %d", rank, device))
		}
	}
	flights := slices.Clone(r.Flights)
	slices.SortFunc(flights, func(a, b neighbors.Flight) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
	})
	for _, f := range flights {
		lane := &measured.Lanes[f.Rank*r.Devices+f.Device]
		from := f.From // of pieces under way at a time, each begins when the one before has arrived
		if n := len(*lane); n > 0 {
			from = max(from, (*lane)[n-1].To)
		}
		*lane = append(*lane,
			show.Piece{From: from, To: f.To, Kind: flightKind(f.Message), Peer: int32(f.Peer), Bytes: int64(f.Bytes)})
	}
	page.Timelines = []show.Timeline{measured}
	if r.Formula > 0 {
		page.Facts = append(page.Facts, "by the formula: "+show.Time(r.Formula*1e3))
		page.Timelines = append(page.Timelines, exchangePlan(r, counts))
	}
	return page, nil
}

// The kinds of pieces: what a piece costs however short it is, and its message, by which it is coloured.
const latencyKind show.Kind = 0

func flightKind(message int) show.Kind { return show.Kind(min(message+2, math.MaxUint8)) }

// exchangePlan is what the devices of each rank are to send by the plan.
func exchangePlan(r neighbors.Result, counts []int) show.Timeline {
	devices := slices.Repeat([]exchange.Device{{Latency: r.Latency * 1e3, Bandwidth: r.MBytesPerS * 1e6}}, r.Devices)
	form, err := exchange.ParseForm(r.Contestant)
	if err != nil {
		form = exchange.Auto
	}
	var p exchange.Planner
	plan := p.Make(form, counts, devices)
	t := show.Timeline{Name: "plan: " + plan.Form.String(), Lanes: make([][]show.Piece, r.Ranks*r.Devices)}
	for device, queue := range plan.Queues {
		at, lane := 0.0, []show.Piece(nil)
		for _, piece := range queue {
			end := at + r.Latency*1e3
			lane = append(lane, show.Piece{From: at, To: end, Kind: latencyKind, Peer: -1})
			at = end + float64(piece.Len())*1e3/r.MBytesPerS
			lane = append(lane,
				show.Piece{From: end, To: at, Kind: flightKind(piece.Message), Peer: -1, Bytes: int64(piece.Len())})
		}
		for rank := range r.Ranks {
			t.Lanes[rank*r.Devices+device] = lane
		}
	}
	return t
}
