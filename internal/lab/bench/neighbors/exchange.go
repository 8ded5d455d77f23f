package neighbors

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// Config describes a call of Run.
type Config struct {
	Neighbors string // of each rank: their number, or Halo
	Sizes     []int  // of a message; with Halo of a face
	Site      runner.Site
	Ranks     int
	BTL       string // of ranks of one node
	Ways      []Way
	Peers     []runner.Contestant // by their names runner.ExchangePeers
	Rounds    int                 // jobs of each contestant, in turn
	Every     time.Duration
	Picture   bool                          // of the last exchange of each job
	Step      func(who string, round int)   // told before each job; nil: nobody
	Verbose   func(format string, a ...any) // as launcher.Job.Log
}

// A Way is how messages are divided, and whether ranks receive them into a buffer and copy them to their place. So do
// programs for devices that put only into memory that was made known to them.
type Way struct {
	exchange.Form
	Copy bool
}

// String returns the name of the form, with "-copy".
func (w Way) String() string { return w.Form.String() + runner.Choose(w.Copy, "-copy", "") }

// A Result is one contestant at one length. Times are microseconds for an exchange, of
// the slowest rank.
type Result struct {
	Benchmark   string    `json:"benchmark"`  // "exchange"
	Contestant  string    `json:"contestant"` // a Way, or the name of the peer
	Neighbors   string    `json:"neighbors"`
	Devices     int       `json:"devices,omitempty"` // that were used; not known of peers
	Ranks       int       `json:"ranks"`
	Bytes       int       `json:"bytes"`
	Repetitions int       `json:"repetitions"` // of a round
	Median      float64   `json:"t_us"`        // of the median round
	Least       float64   `json:"t_min_us"`    // of all rounds
	Most        float64   `json:"t_max_us"`
	Rounds      []float64 `json:"rounds_us,omitempty"` // their medians, in turn, where there are several

	// Of this project: what the formula of the form gives with what was measured of the devices
	// of rank 0, and that: microseconds a piece, and MB/s, the mean of the devices.
	Formula    float64 `json:"formula_us,omitempty"`
	Latency    float64 `json:"latency_us,omitempty"`
	MBytesPerS float64 `json:"device_mbytes_per_s,omitempty"`

	// Peer: another MPI.
	Peer bool `json:"-"`

	// Flights are what devices have sent in the last exchange of the last round.
	Flights []Flight `json:"-"`
}

// A Flight is a piece of a message on its way; times are nanoseconds from the begin of the
// exchange on its rank.
type Flight struct {
	Rank, Device, Peer, Message int // Message is -1 where it was sent for itself
	Bytes                       int
	From, To                    float64
}

// Counts are the lengths of the messages of a rank.
func (c *Config) Counts(bytes int) ([]int, error) { return exchangeCounts(c.Neighbors, bytes) }

// Run runs the contestants in turn, and returns the results by length and contestant. One that fails has none, and the
// error tells of it.
func Run(ctx context.Context, cfg Config) (all [][]Result, err error) {
	names := make([]string, 0, len(cfg.Ways)+1)
	for _, w := range cfg.Ways {
		names = append(names, w.String())
	}
	for _, p := range cfg.Peers {
		names = append(names, p.String())
	}
	rounds, err := runner.InTurn(ctx, names, cfg.Rounds, cfg.Step,
		func(i int) ([]Result, error) { return cfg.round(ctx, i) })
	if err != nil {
		err = fmt.Errorf("bench: exchange: %w", err)
	}
	if _, rounds = runner.Standing(names, rounds); len(rounds) == 0 {
		return nil, err
	}
	for k := range cfg.Sizes {
		var row []Result
		for _, of := range rounds {
			row = append(row, medianExchange(of, k))
		}
		all = append(all, row)
	}
	return all, err
}

// medianExchange is the median round at a length, with what is known of all.
func medianExchange(rounds [][]Result, k int) Result {
	at := make([]Result, len(rounds))
	medians := make([]float64, len(rounds))
	for i := range rounds {
		at[i], medians[i] = rounds[i][k], rounds[i][k].Median
	}
	last := at[len(at)-1].Flights
	r := median.By(at, func(r Result) float64 { return r.Median })
	for _, o := range at {
		r.Least, r.Most = min(r.Least, o.Least), max(r.Most, o.Most)
	}
	if r.Flights = last; len(rounds) > 1 {
		r.Rounds = medians
	}
	return r
}

// round runs a job of a contestant: of a way, or behind these of a peer.
func (cfg *Config) round(ctx context.Context, who int) ([]Result, error) {
	items := make([]string, len(cfg.Sizes))
	for i, n := range cfg.Sizes {
		items[i] = strconv.Itoa(n)
	}
	args := []string{"exchange", cfg.Neighbors, strings.Join(items, ","), runner.Seconds(cfg.Every)}
	var out []byte
	var err error
	r := Result{Benchmark: "exchange", Neighbors: cfg.Neighbors, Ranks: cfg.Ranks}
	form := exchange.Auto
	if who < len(cfg.Ways) {
		way := cfg.Ways[who]
		form, r.Contestant = way.Form, way.String()
		out, err = cfg.runOurs(ctx, form, append(args, strconv.FormatBool(cfg.Picture), strconv.FormatBool(way.Copy)))
	} else {
		p := cfg.Peers[who-len(cfg.Ways)]
		r.Contestant, r.Peer = p.String(), true
		out, err = cfg.Site.RunPeer(ctx, p, cfg.Ranks, args)
	}
	if err != nil {
		return nil, err
	}
	list, err := cfg.parse(out, r, form)
	if err == nil && len(list) != len(cfg.Sizes) {
		err = fmt.Errorf("%d results for %d sizes", len(list), len(cfg.Sizes))
	}
	if err != nil {
		return nil, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	return list, nil
}

// runOurs runs a job on the nodes, and returns what rank 0 has printed.
func (cfg *Config) runOurs(ctx context.Context, form exchange.Form, args []string) ([]byte, error) {
	return runner.RunRanks(cfg.Ranks, args, func(j launcher.Job) (*launcher.Result, error) {
		j.BTL, j.Log = cfg.BTL, cfg.Verbose
		if form != exchange.Auto {
			j.Settings.Exchange = form.String()
		}
		return cluster.Run(ctx, j, cfg.Site.Nodes)
	})
}

// parse reads what rank 0 prints: for each length a line of exchangeRank.measure, then those of
// the devices and the flights.
func (cfg *Config) parse(out []byte, blank Result,
	form exchange.Form) (list []Result, err error) {
	var devices []exchange.Device
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		text := lines.Text()
		switch {
		case strings.HasPrefix(text, deviceLine) && len(list) > 0:
			var d exchange.Device
			if _, err := fmt.Sscan(text[len(deviceLine):], &d.Latency, &d.Bandwidth); err != nil {
				return nil, fmt.Errorf("line %q: %w", text, err)
			}
			devices = append(devices, d)
		case strings.HasPrefix(text, flightLine) && len(list) > 0:
			var f Flight
			if _, err := fmt.Sscan(text[len(flightLine):], &f.Rank, &f.Device, &f.Peer, &f.Message, &f.Bytes,
				&f.From, &f.To); err != nil {
				return nil, fmt.Errorf("line %q: %w", text, err)
			}
			r := &list[len(list)-1]
			r.Flights = append(r.Flights, f)
		default:
			if err := cfg.predict(list, devices, form); err != nil {
				return nil, err
			}
			r := blank
			if _, err := fmt.Sscan(text, &r.Bytes, &r.Repetitions, &r.Median, &r.Least, &r.Most); err != nil {
				return nil, fmt.Errorf("line %q: %w", text, err)
			}
			list, devices = append(list, r), nil
		}
	}
	return list, cfg.predict(list, devices, form)
}

// predict completes the last result by what was measured of the devices.
func (cfg *Config) predict(list []Result, devices []exchange.Device, form exchange.Form) error {
	if len(list) == 0 || len(devices) == 0 {
		return nil
	}
	r := &list[len(list)-1]
	r.Devices = len(devices)
	latency, bandwidth := 0.0, 0.0
	for _, d := range devices {
		latency += d.Latency / float64(len(devices)) / 1e3
		bandwidth += d.Bandwidth / float64(len(devices)) / 1e6
	}
	if latency == 0 || bandwidth == 0 {
		return nil // too little was sent to know
	}
	for i := range devices { // one that was not used is as the others
		devices[i].Latency = cmp.Or(devices[i].Latency, latency*1e3)
		devices[i].Bandwidth = cmp.Or(devices[i].Bandwidth, bandwidth*1e6)
	}
	counts, err := cfg.Counts(r.Bytes)
	if err != nil {
		return err
	}
	var p exchange.Planner
	r.Latency, r.MBytesPerS = latency, bandwidth
	r.Formula = p.Make(form, counts, devices).Time / 1e3
	return nil
}

// Points are a point of a file of results for each round.
func (r Result) Points() (list []results.Point) {
	rounds := r.Rounds
	if len(rounds) == 0 {
		rounds = []float64{r.Median}
	}
	for _, us := range rounds {
		p := results.Point{
			Benchmark: "exchange", Contestant: r.Contestant, Setting: r.Neighbors + " neighbors",
			Ranks: r.Ranks, Bytes: r.Bytes,
			Values: map[string]float64{"t_us": us},
		}
		if r.Formula > 0 {
			p.Values["formula_us"] = r.Formula
		}
		list = append(list, p)
	}
	return list
}

// Memory is about how many bytes the buffers of all ranks take at the longest message. The neighbors are
// those of Counts.
func (c *Config) Memory() float64 {
	counts, err := c.Counts(slices.Max(c.Sizes))
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, n := range counts {
		sum += float64(n)
	}
	return 4 * sum * float64(c.Ranks)
}
