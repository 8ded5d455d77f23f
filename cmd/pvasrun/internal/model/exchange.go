package model

import (
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
	"github.com/gopvas/gopvas/internal/loggps/pattern"
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
	torus, err := f.torus()
	if err != nil {
		return cli.Mistake(err)
	}
	if torus != nil {
		f.Neighbors = 2 * len(torus.Sides)
	}
	return f.print(os.Stdout, torus)
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

func (f *modelExchangeFlags) print(out io.Writer, torus *pattern.Torus) error {
	devices := make([]exchange.Device, f.Devices)
	for i := range devices {
		devices[i] = exchange.Device{Latency: float64(time.Duration(f.Latency)), Bandwidth: f.Bandwidth * 1e9}
	}
	w := cli.NewTable(out)
	fmt.Fprintf(w, "bytes\t")
	for _, form := range exchange.Forms() {
		fmt.Fprintf(w, "%v\t", form)
	}
	fmt.Fprintln(w, "best\t")
	progress := cli.NewProgress(len(f.Sizes) * len(exchange.Forms()))
	defer progress.Done()
	var planner exchange.Planner
	var best *exchange.Plan
	for _, size := range f.Sizes {
		messages := make([]int, f.Neighbors)
		for i := range messages {
			messages[i] = size
		}
		fmt.Fprintf(w, "%s\t", units.BytesSize(float64(size)))
		for _, form := range exchange.Forms() {
			progress.Begin(fmt.Sprintf("%s by %v", units.BytesSize(float64(size)), form))
			plan := planner.Make(form, messages, devices)
			ns := plan.Time
			if torus != nil {
				var err error
				if ns, err = simulateExchange(plan, *torus, devices[0]); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "%.2f\t", float64(f.Neighbors*size)/ns)
		}
		best = planner.Choose(messages, devices)
		fmt.Fprintf(w, "%v\t\n", best.Form)
	}
	progress.Done()
	if err := w.Flush(); err != nil {
		return err
	}
	return drawExchange(out, best, devices)
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
