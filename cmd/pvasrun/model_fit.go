package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/replay"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/fit"
)

const modelFitDescription = `Finds the parameters of the LogGPS model: measures round trips and sends between two ` +
	`ranks, with and without a loop between send and receive, and fits equations (12) to (14) of the paper. With ` +
	`--from it fits times that were measured before, of lines kind,k_bytes,w_ns,t_ns with rtt, send or exchange as kind.

Each parameter comes with its 95 % interval, or is reported as not determined. warm: all messages lie in the same ` +
	`memory; cold: each lies where no cache has it. S is where the times of messages jump; besides, the longest ` +
	`message whose sender does not wait for a late receiver is sought, which is what S means.

With -o the time of collective calls is measured, too, as a whole and by each algorithm, for the programs that are ` +
	`predicted with --machine.`

// fitFlags are those of model fit.
type fitFlags struct {
	From       string     `long:"from" env:"PVASRUN_FROM" value-name:"FILE.csv" description:"fit these times and measure nothing"`
	Output     string     `short:"o" long:"output" env:"PVASRUN_MODEL_OUTPUT" value-name:"FILE" description:"write the parameters, for --machine; of several combinations of --btl and --caches, the names of the others have it added"`
	BTL        btlNames   `long:"btl" env:"PVASRUN_MODEL_BTL" value-name:"LIST" default:"pvas,sm" description:"task models to measure"`
	Caches     cacheNames `long:"caches" env:"PVASRUN_CACHES" value-name:"LIST" default:"warm,cold" description:"states of the caches to measure"`
	Largest    size       `long:"largest" env:"PVASRUN_LARGEST" value-name:"SIZE" default:"256KiB" description:"longest message to measure"`
	EagerLimit size       `long:"eager-limit" env:"PVASRUN_EAGER_LIMIT" value-name:"SIZE" default:"4KiB" description:"the eager limit of the ranks that are measured"`
	Times      int        `long:"times" most:"1000; every five of them are a job, which takes its time even if --max-seconds is over" env:"PVASRUN_TIMES" value-name:"N" default:"20" description:"how often to measure each size"`
	MaxSeconds lapse      `long:"max-seconds" env:"PVASRUN_MAX_SECONDS" value-name:"DUR" default:"55" description:"measure each size less often if it would take longer, all in all"`
	Ranks      int        `long:"ranks" env:"PVASRUN_MODEL_RANKS" value-name:"N" default:"2" description:"ranks of the collective calls that are measured for -o; 0: measure none"`
	Repeat     int        `long:"repeat" most:"1000000; a fit takes a second at least" env:"PVASRUN_REPEAT" value-name:"N" default:"1" description:"measure and fit so often, at least once and else within --max-seconds all in all, and print how far the results lie apart"`
	Samples    string     `long:"samples" env:"PVASRUN_SAMPLES" value-name:"FILE.csv" description:"write the measured times, for --from; several combinations as for -o"`
	Plot       string     `long:"plot" env:"PVASRUN_PLOT" value-name:"FILE.svg" description:"draw the times, the lines and the jumps; several combinations as for -o"`
	JSON       bool       `long:"json" env:"PVASRUN_JSON" description:"print one JSON object per combination"`

	placed map[string]bench.Distances // by task model: all fits are made at one distance
}

// A fitted is what was found for a task model and a state of caches.
type fitted struct {
	who     string // "" for --from
	samples []fit.Sample
	placed  bench.Distances
	limit   int64     // as sought with late receivers; -1: not known
	lines   fit.Break // where the lines jump, if S is the limit
	calls   replay.Recording
	whole   []loggps.Operation
	*fit.Result
}

func executeModelFit(args []string) error {
	var f fitFlags
	if err := parseOnly("pvasrun model fit", modelFitDescription, &f, args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return usageError{fmt.Errorf("model fit: %w", err)}
	}
	if f.From != "" {
		r, err := f.fromFile()
		if err != nil {
			return modelMistake(err)
		}
		return f.tell([]fitted{r})
	}
	if runtime.NumCPU() < 2 {
		fmt.Fprintln(os.Stderr,
			"pvasrun: model fit: warning: it goes on with one CPU, where the times have those of the other "+
				"rank in them: use two")
	}
	if f.Repeat > 1 {
		return measuring(f.repeat)
	}
	return measuring(func(ctx context.Context) error {
		found, err := f.measure(ctx, time.Duration(f.MaxSeconds))
		if err != nil {
			return err
		}
		return f.tell(found)
	})
}

func (f *fitFlags) check() error {
	switch {
	case f.Largest < 1<<10 || f.Largest > 16<<20:
		return errors.New("--largest: want 1 KiB to 16 MiB")
	case f.Times < 3:
		return errors.New("--times: want 3 or more")
	case f.Ranks < 0 || f.Ranks == 1 || f.Ranks > max(2, runtime.NumCPU()):
		return fmt.Errorf("--ranks: want 2 to %d, as many as there are CPUs, or 0 for no collective calls",
			max(2, runtime.NumCPU()))
	case f.MaxSeconds == 0:
		return errors.New("--max-seconds: 0 leaves no time to measure: give some, such as 55")
	case f.Repeat < 1:
		return errors.New("--repeat: want 1 or more")
	case f.Repeat > 1 && f.Output+f.Plot+f.Samples+f.From != "":
		return errors.New("--repeat: the results are not one machine: leave out -o, --plot, --samples and --from")
	case f.EagerLimit < 1 || f.EagerLimit > job.MaxEagerLimit:
		return errors.New("--eager-limit: want 1 to 64 KiB")
	}
	var outputs []named
	for i, who := range f.combinations() {
		for _, out := range []named{{"-o", f.Output}, {"--plot", f.Plot}, {"--samples", f.Samples}} {
			outputs = append(outputs, named{out.by, nameOf(out.file, who, i)})
		}
	}
	if err := apart(outputs, named{"the times of --from", f.From}); err != nil {
		return err
	}
	for _, out := range outputs {
		if err := writable(out.file); err != nil {
			return fmt.Errorf("%s: %w", out.by, err) // now, and not when all has been measured
		}
	}
	for i, who := range f.combinations() {
		if err := replaceable(nameOf(f.Output, who, i)); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	return nil
}

// combinations names what is fitted, in order.
func (f *fitFlags) combinations() (list []string) {
	if f.From != "" {
		return []string{""}
	}
	for _, btl := range f.BTL {
		for _, caches := range f.Caches {
			list = append(list, btl+"-"+caches)
		}
	}
	return list
}

// replaceable returns an error if a file has something else than a machine, such as a trace.
func replaceable(file string) error {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := loggps.Read(f); err != nil {
		return fmt.Errorf("%s: it has no parameters and is not overwritten: name another file, or remove this one",
			file)
	}
	return nil
}

func (f *fitFlags) fromFile() (fitted, error) {
	file, err := os.Open(f.From)
	if err != nil {
		return fitted{}, err
	}
	defer file.Close()
	r := fitted{limit: -1}
	if r.samples, err = fit.ReadCSV(file, f.From); err != nil {
		return r, err
	}
	if r.Result, err = fit.Fit(r.samples); err == nil {
		r.Params.Residual = r.Residual(r.samples)
	}
	return r, err
}

// measure measures all combinations in turn, for about limit.
func (f *fitFlags) measure(ctx context.Context, limit time.Duration) ([]fitted, error) {
	settings := tunableFlags{EagerLimit: f.EagerLimit, RingBlock: 32 << 10}
	chosen, err := settings.settings()
	if err != nil {
		return nil, usageError{fmt.Errorf("model fit: %w", err)}
	}
	combinations := len(f.combinations())
	limit /= time.Duration(combinations)
	progress := newProgress(combinations * f.Times)
	defer progress.done()
	var all []fitted
	for _, btl := range f.BTL {
		ranks := bench.Contestant{Name: btl, Settings: chosen, Pinned: true}
		placed, err := f.distancesOf(ctx, ranks)
		if err != nil {
			return nil, fmt.Errorf("model fit: %w", err)
		}
		calls, whole, err := f.measureCalls(ctx, ranks, placed.Used, limit/4)
		if err != nil {
			return nil, fmt.Errorf("model fit: %s: %w", btl, err)
		}
		for _, caches := range f.Caches {
			who := btl + "-" + caches
			got, err := f.roundTrips(ctx, ranks, placed.Used, caches == "cold", limit*3/4,
				func() { progress.begin(who) })
			if err != nil {
				return nil, err
			}
			r, err := fitTrips(got)
			if err != nil {
				return nil, fmt.Errorf("model fit: %s: %w", who, err)
			}
			r.who, r.placed, r.calls, r.whole = who, placed, calls, whole
			all = append(all, r)
		}
	}
	return all, nil
}

// fewTimes is how often a job measures each size. What a message costs depends on where the memory of a
// job lies, by some percent. So there are several jobs.
const fewTimes = 5

// roundTrips measures round trips in several jobs.
func (f *fitFlags) roundTrips(ctx context.Context, who bench.Contestant, distance float64, cold bool,
	limit time.Duration, sweep func()) (all *bench.RoundTrips, err error) {
	jobs := max(f.Times/fewTimes, 1)
	all = &bench.RoundTrips{}
	for i := range jobs {
		got, err := bench.RoundTrip(ctx, who, bench.RoundTripConfig{
			Sizes: fit.Sizes(int64(f.Largest)), Times: (f.Times + i) / jobs, Cold: cold, Seed: uint64(i),
			Limit: limit / time.Duration(jobs), Distance: distance, Sweep: sweep,
		})
		if err != nil {
			return nil, err
		}
		all.Samples, all.EagerLimit = append(all.Samples, got.Samples...), got.EagerLimit
	}
	return all, nil
}

// measureCalls measures what a machine that is written has besides its links: what recording adds between
// calls, and collective calls as a whole.
func (f *fitFlags) measureCalls(ctx context.Context, who bench.Contestant, distance float64,
	limit time.Duration) (replay.Recording, []loggps.Operation, error) {
	if f.Output == "" {
		return nil, nil, nil
	}
	between, err := measureRecording(ctx, who)
	if err != nil || f.Ranks == 0 || f.Ranks > runtime.NumCPU() {
		return between, nil, err
	}
	whole, err := measureOperations(ctx, who, distance, f.Ranks, limit)
	return between, whole, err
}

// fitTrips fits what was measured. S is what a late receiver shows, if it does; where the
// lines jump is found besides.
func fitTrips(got *bench.RoundTrips) (r fitted, err error) {
	r = fitted{samples: got.Samples, limit: got.EagerLimit}
	r.Result, err = fit.Fit(got.Samples)
	if err == nil && r.limit >= 0 {
		r.lines = r.Result.Sync
		r.Result, err = fit.FitSync(got.Samples, r.limit)
	}
	if err == nil {
		r.Params.Residual = r.Residual(got.Samples)
	}
	return r, err
}

// tell writes and prints what was found. A file that can not be written is no reason to lose the rest.
func (f *fitFlags) tell(all []fitted) (err error) {
	for i, r := range all {
		for _, w := range []struct {
			file  string
			write func(io.Writer) error
		}{
			{f.Output, r.machine(f.source()).Write},
			{f.Plot, r.plot},
			{f.Samples, func(w io.Writer) error { return fit.WriteCSV(w, r.samples) }},
		} {
			if failed := writeNamed(w.file, r.who, i, w.write); failed != nil {
				err = errors.Join(err, fmt.Errorf("model fit: %w", failed))
			}
		}
		if f.JSON {
			err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(r.report()))
			continue
		}
		err = errors.Join(err, r.print(os.Stdout))
	}
	return err
}

func (f *fitFlags) source() string {
	return cmp.Or(f.From, fmt.Sprintf("pvasrun model fit, %s", time.Now().Format(time.DateOnly)))
}

func (r *fitted) machine(source string) loggps.Machine {
	link := r.Link(cmp.Or(r.who, "link"), source)
	link.Distance = r.placed.Used
	return loggps.Machine{Links: []loggps.Link{link}, Recording: r.calls, Operations: r.whole}
}

func (r *fitted) print(w io.Writer) error {
	head := ""
	if r.who != "" {
		head = "# " + r.who + "\n"
	}
	late := ""
	if r.limit >= 0 {
		late = fmt.Sprintf("S is what a late receiver shows; by the lines alone it is %s\n", sayBreak(r.lines))
	}
	_, err := fmt.Fprintf(w, "%s%s%s%s\n", head, r.Result, late, sayDistances(r.placed))
	return err
}

func sayBreak(b fit.Break) string {
	if !b.Found {
		return "not seen"
	}
	return fmt.Sprintf("%d to %d", b.At, b.Next-1)
}

// fitReport is a fitted as JSON.
type fitReport struct {
	Who        string                 `json:"who,omitempty"`
	Parameters map[string]fitEstimate `json:"parameters"`
	Packet     fitBreak               `json:"s"`
	Sync       fitBreak               `json:"S"`
	Lines      *fitBreak              `json:"S_by_lines,omitempty"` // S is what a late receiver shows
	R2         float64                `json:"r2"`
	Noise      float64                `json:"noise"`
	Used       int                    `json:"samples_used"`
	Removed    int                    `json:"samples_removed"`
	Distance   float64                `json:"distance_ns,omitempty"` // see loggps.Link
}

type fitEstimate struct {
	Value      float64  `json:"value"`
	Low        *float64 `json:"low,omitempty"` // there is none where nothing is known
	High       *float64 `json:"high,omitempty"`
	Determined bool     `json:"determined"`
}

type fitBreak struct {
	At    int64 `json:"at"`
	Next  int64 `json:"below,omitempty"`
	Found bool  `json:"found"`
}

func (r *fitted) report() fitReport {
	out := fitReport{
		Who: r.who, Parameters: map[string]fitEstimate{}, R2: r.R2, Noise: r.Noise, Used: r.Used, Removed: r.Removed,
		Distance: r.placed.Used,
		Packet:   breakReport(r.Packet), Sync: breakReport(r.Sync),
	}
	if r.limit >= 0 {
		lines := breakReport(r.lines)
		out.Lines = &lines
	}
	for _, e := range r.Estimates {
		j := fitEstimate{Value: e.Value, Determined: e.Determined}
		if e.Bounded() {
			j.Low, j.High = &e.Low, &e.High
		}
		out.Parameters[e.Name] = j
	}
	return out
}

func breakReport(b fit.Break) fitBreak {
	r := fitBreak{At: b.At, Found: b.Found}
	if b.Found {
		r.Next = b.Next
	}
	return r
}
