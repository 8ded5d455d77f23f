package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/lab/chart"
	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

type modelExchangeFlags struct {
	Neighbors int       `long:"neighbors" env:"PVASRUN_MODEL_NEIGHBORS" default:"6" value-name:"N" description:"neighbors of a rank, without --torus"`
	Devices   int       `long:"devices" env:"PVASRUN_MODEL_DEVICES" default:"4" value-name:"C" description:"devices of a node"`
	Sizes     cli.Sizes `long:"sizes" most:"1099511627776; 1 TiB is the longest message" env:"PVASRUN_MODEL_SIZES" default:"1K,4K,16K,64K,256K,1M,8M" value-name:"LIST" description:"lengths of a message"`
	Latency   cli.Lapse `long:"latency" env:"PVASRUN_MODEL_LATENCY" default:"1us" value-name:"DUR" description:"what each piece costs a device"`
	Bandwidth float64   `long:"bandwidth" env:"PVASRUN_MODEL_BANDWIDTH" default:"5" value-name:"GB/s" description:"of a device"`
	Torus     string    `long:"torus" env:"PVASRUN_MODEL_TORUS" value-name:"AxBxC" description:"simulate a periodic grid of so many ranks, with two neighbors along each side, in place of the formulas"`
	Link      float64   `long:"link-bandwidth" env:"PVASRUN_MODEL_LINK_BANDWIDTH" value-name:"GB/s" default-mask:"with --torus that of a device, else not bound" description:"of the way to each neighbor, which all devices share"`
	Plot      string    `long:"plot" env:"PVASRUN_MODEL_PLOT" value-name:"FILE.svg" description:"draw the bandwidths over the lengths"`
}

func executeModelExchange(args []string) error {
	var f modelExchangeFlags
	if err := cli.ParseOnly("pvasrun model exchange", &f, args); err != nil {
		return err
	}
	if f.Neighbors < 1 || f.Neighbors > 1<<16 || f.Devices < 1 || f.Devices > 255 ||
		!(f.Bandwidth > 0 && f.Bandwidth <= math.MaxFloat64/1e9) || slices.Min(f.Sizes) < 1 {
		return cli.Mistake(errors.New(
			"model exchange: give 1 to 65536 neighbors, 1 to 255 devices, a finite bandwidth above 0, and " +
				"sizes from 1 byte on"))
	}
	if !(f.Link >= 0 && f.Link <= math.MaxFloat64/1e9) {
		return cli.Mistake(errors.New("model exchange: --link-bandwidth: give a finite one above 0"))
	}
	torus, err := f.torus()
	if err != nil {
		return cli.Mistake(err)
	}
	if err := cli.Writable(f.Plot, cli.Plot); err != nil {
		return cli.Mistake(fmt.Errorf("--plot: %w", err))
	}
	if torus != nil {
		f.Neighbors = 2 * len(torus.Sides)
		f.Link = cmp.Or(f.Link, f.Bandwidth)
	}
	rows, err := f.predict(torus)
	if err == nil {
		err = f.print(os.Stdout, rows)
	}
	if err == nil {
		err = cli.WriteNamed(f.Plot, "", 0, func(w io.Writer) error { return plotExchange(w, rows) })
	}
	return err
}

// torus parses the sides, nil if there are none.
func (f *modelExchangeFlags) torus() (*pattern.Torus, error) {
	if f.Torus == "" {
		return nil, nil
	}
	sides, ok := cli.Numbers(strings.ReplaceAll(f.Torus, "x", ","), 2)
	if !ok || (pattern.Torus{Sides: sides}).Ranks() > 1<<16 {
		return nil, fmt.Errorf("--torus %s: write sides of 2 or more, such as 4x3x8, of at most 65536 ranks", f.Torus)
	}
	t := &pattern.Torus{Sides: sides}
	if pieces := t.Ranks() * (2*len(sides) + f.Devices); pieces > mostPieces {
		return nil,
			fmt.Errorf("--torus %s: with %d devices these are up to %d pieces of messages to simulate, of at most "+
				"%d: take fewer ranks or devices", f.Torus, f.Devices, pieces, mostPieces)
	}
	return t, nil
}

// mostPieces bounds what is simulated: a minute or two for each length of a message, and 2 GiB.
const mostPieces = 8 << 20

// exchangeRow is what messages of a length make.
type exchangeRow struct {
	bytes int
	speed map[exchange.Form]float64 // bytes per nanosecond that a rank sends
	best  exchange.Form
}

func (f *modelExchangeFlags) devices() []exchange.Device {
	return slices.Repeat([]exchange.Device{{Latency: float64(time.Duration(f.Latency)), Bandwidth: f.Bandwidth * 1e9}},
		f.Devices)
}

// predict makes a row for each length, by the formulas or on a torus.
func (f *modelExchangeFlags) predict(torus *pattern.Torus) (rows []exchangeRow, err error) {
	progress := cli.NewProgress(len(f.Sizes) * len(exchange.Forms()))
	defer progress.Done()
	devices, planner := f.devices(), exchange.Planner{Link: f.Link * 1e9}
	for _, size := range f.Sizes {
		messages := slices.Repeat([]int{size}, f.Neighbors)
		row := exchangeRow{bytes: size, speed: map[exchange.Form]float64{}}
		for _, form := range exchange.Forms() {
			progress.Begin(fmt.Sprintf("%s by %v", units.BytesSize(float64(size)), form))
			plan := planner.Make(form, messages, devices)
			ns := plan.Time
			if torus != nil {
				simulated, err := simulateExchange(plan, *torus, devices[0])
				if err != nil {
					return nil, err
				}
				ns = max(ns, simulated) // the simulator knows of devices, not of links
			}
			row.speed[form] = float64(f.Neighbors*size) / ns
		}
		row.best = planner.Choose(messages, devices).Form
		rows = append(rows, row)
	}
	return rows, nil
}

func (f *modelExchangeFlags) print(out io.Writer, rows []exchangeRow) error {
	w := cli.NewTable(out)
	fmt.Fprintf(w, "bytes\t")
	for _, form := range exchange.Forms() {
		fmt.Fprintf(w, "%v\t", form)
	}
	fmt.Fprintln(w, "best\t")
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t", units.BytesSize(float64(row.bytes)))
		for _, form := range exchange.Forms() {
			fmt.Fprintf(w, "%.2f\t", row.speed[form])
		}
		fmt.Fprintf(w, "%v\t\n", row.best)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	last := rows[len(rows)-1]
	planner := exchange.Planner{Link: f.Link * 1e9}
	plan := planner.Make(last.best, slices.Repeat([]int{last.bytes}, f.Neighbors), f.devices())
	return drawExchange(out, plan, f.devices())
}

// plotExchange draws the bandwidths over the lengths.
func plotExchange(w io.Writer, rows []exchangeRow) error {
	most, low, high := 0.0, float64(rows[0].bytes), float64(rows[0].bytes)
	for _, row := range rows {
		low, high = min(low, float64(row.bytes)), max(high, float64(row.bytes))
		for _, speed := range row.speed {
			most = max(most, speed)
		}
	}
	c := chart.Chart{
		Title: "Exchange with neighbors, each rank",
		Notes: []string{"GB/s over bytes of a message"},
		X:     chart.Logarithmic(low, max(high, 2*low), func(v float64) string { return units.BytesSize(v) }),
		Y:     chart.Linear(0, most, chart.Number),
	}
	for i, form := range exchange.Forms() {
		k := chart.Curve{Name: form.String(), Class: fmt.Sprintf("c%d", i), Lines: make([][]chart.Dot, 1)}
		for _, row := range rows {
			k.Lines[0] = append(k.Lines[0], chart.Dot{X: float64(row.bytes), Y: row.speed[form]})
		}
		slices.SortFunc(k.Lines[0], func(a, b chart.Dot) int { return cmp.Compare(a.X, b.X) })
		c.Curves = append(c.Curves, k)
	}
	return chart.Write(w, c)
}

// simulateExchange returns how long all ranks of a torus take that send by the same plan.
// Message 2d goes one step along dimension d, message 2d + 1 one step back.
func simulateExchange(plan *exchange.Plan, t pattern.Torus, d exchange.Device) (ns float64, err error) {
	g, err := pattern.Devices(t.Ranks(), func(rank int) (out, in []pattern.Transfer) {
		for device, queue := range plan.Queues {
			for i, piece := range queue {
				one := pattern.Transfer{Bytes: int64(piece.Len()), Tag: int32(i), Device: uint8(device)}
				step := 1 - 2*(piece.Message%2)
				one.Tag += int32(piece.Message) << 16
				one.Peer = t.Neighbor(rank, piece.Message/2, step)
				out = append(out, one)
				one.Peer = t.Neighbor(rank, piece.Message/2, -step)
				in = append(in, one)
			}
		}
		return out, in
	})
	if err != nil {
		return 0, err
	}
	r, err := sim.Run(g, sim.Options{Machine: loggps.Single(devicePiece(d)), Mode: sim.LogGOPS})
	if err != nil {
		return 0, err
	}
	return r.Time(), nil
}

// devicePiece is the device as LogGOPS has it: a piece takes the device for g and G per byte.
func devicePiece(d exchange.Device) loggps.Params {
	m := loggps.LogGOPS{L: d.Latency, Gap: d.Latency, GapByte: 1e9 / d.Bandwidth, S: graph.MaxSize}
	return m.Params()
}

// drawExchange draws what each device sends when, by the model.
func drawExchange(out io.Writer, plan *exchange.Plan, devices []exchange.Device) error {
	const width = 64
	fmt.Fprintf(out, "\n%v: %.1f us; what each device sends, by message (.: latency, or idle)\n",
		plan.Form, plan.Time/1e3)
	for i, queue := range plan.Queues {
		line := []byte(strings.Repeat(".", width))
		at := 0.0
		for _, piece := range queue {
			at += devices[i].Latency
			end := at + float64(piece.Len())*1e9/devices[i].Bandwidth
			for x := int(at / plan.Time * width); x < min(width, int(end/plan.Time*width+0.5)); x++ {
				line[x] = sign(piece.Message)
			}
			at = end
		}
		if _, err := fmt.Fprintf(out, "device %-3d %s\n", i, line); err != nil {
			return err
		}
	}
	return nil
}

// sign names a message in a picture.
func sign(message int) byte {
	const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return signs[message%len(signs)]
}
