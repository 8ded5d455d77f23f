package costs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/loggps/fit"
)

// RoundTripConfig describes the measurement of a link between two ranks, for package
// loggps/fit.
type RoundTripConfig struct {
	Sizes []int64       // bytes, at least one
	Times int           // how often each size is measured
	Cold  bool          // messages lie where no cache has them
	Seed  uint64        // of the order of the sizes
	Limit time.Duration // fewer samples are taken if they take longer

	Distance float64 // of the CPUs, ns: see Distances; 0: any

	Sweep func() // told when all sizes have been measured once more; nil: nobody
}

// RoundTrips are what was measured.
type RoundTrips struct {
	Samples []fit.Sample
	// EagerLimit is the longest message whose sender does not wait for its receiver, as far
	// as was measured; -1 if no sender waits.
	EagerLimit int64
}

// The lines that rank 0 prints besides samples.
const (
	sweepLine = "# sweep"
	limitLine = "# eager limit"
)

// RoundTrip measures round trips and sends between two ranks of a contestant of ours.
func RoundTrip(ctx context.Context, who runner.Contestant, c RoundTripConfig) (*RoundTrips, error) {
	sizes := make([]string, len(c.Sizes))
	for i, n := range c.Sizes {
		sizes[i] = strconv.FormatInt(n, 10)
	}
	args := []string{
		"roundtrip", strings.Join(sizes, ","), strconv.Itoa(c.Times), runner.Choose(c.Cold, "cold", "warm"),
		strconv.FormatUint(c.Seed, 10), runner.Seconds(c.Limit),
	}
	out, err := runAt(ctx, who, c.Distance, 2, args, c.Limit, func(j *launcher.Job) {
		if c.Sweep != nil {
			j.Stdout = &lineWatcher{j.Stdout, sweepLine, c.Sweep}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("bench: round trips of %s: %w", who, err)
	}
	return parseRoundTrips(out)
}

func parseRoundTrips(out []byte) (*RoundTrips, error) {
	samples, err := fit.ReadCSV(bytes.NewReader(out), "round trips")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	r := &RoundTrips{Samples: samples}
	_, rest, _ := bytes.Cut(out, []byte(limitLine))
	if _, err := fmt.Sscan(string(rest), &r.EagerLimit); err != nil {
		return nil, fmt.Errorf("bench: round trips: unexpected output %.200q: no eager limit", out)
	}
	return r, nil
}

// A lineWatcher passes on what is written, whole lines at a time, and tells of lines that
// read as given.
type lineWatcher struct {
	io.Writer
	line string
	seen func()
}

func (w *lineWatcher) Write(p []byte) (int, error) {
	for range bytes.Count(p, []byte(w.line+"\n")) {
		w.seen()
	}
	return w.Writer.Write(p)
}
