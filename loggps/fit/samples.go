package fit

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/loggps"
)

// Kind is what was timed.
type Kind uint8

const (
	RoundTrip Kind = iota // a message there and one back
	Send                  // a blocking send to a receiver that waits
	Exchange              // two messages that cross: both ranks Irecv, Send and Wait
)

var kinds = [...]string{"rtt", "send", "exchange"}

// A Sample is one measured time.
type Sample struct {
	Kind  Kind
	Bytes int64   // k
	Loop  float64 // ns: w of a round trip; of a send, a loop behind it, which Time includes
	Time  float64 // ns
}

// header is the first line of samples in a file; it may be missing, or come again.
const header = "kind,k_bytes,w_ns,t_ns"

// ReadCSV reads samples, one a line: rtt, send or exchange, bytes, the loop in ns, the time in ns.
// Empty lines and those that begin with # are skipped. The name is for messages.
func ReadCSV(r io.Reader, name string) ([]Sample, error) {
	var samples []Sample
	in := bufio.NewScanner(r)
	line := 0
	for in.Scan() {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' || text == header {
			continue
		}
		s, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("fit: %s:%d: %w; a line reads %s", name, line, err, header)
		}
		samples = append(samples, s)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("fit: %s:%d: read: %w", name, line+1, err)
	}
	return samples, nil
}

// WriteCSV writes samples as ReadCSV reads them.
func WriteCSV(w io.Writer, samples []Sample) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, header)
	for _, s := range samples {
		fmt.Fprintf(out, "%s,%d,%.10g,%.10g\n", kinds[s.Kind], s.Bytes, s.Loop, s.Time)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("fit: write samples: %w", err)
	}
	return nil
}

func parse(text string) (Sample, error) {
	fields := strings.Split(text, ",")
	if len(fields) != 4 {
		return Sample{}, fmt.Errorf("%d fields, want 4", len(fields))
	}
	var s Sample
	kind := slices.Index(kinds[:], strings.TrimSpace(fields[0]))
	if kind < 0 {
		return s, fmt.Errorf("kind %q, want rtt, send or exchange", fields[0])
	}
	s.Kind = Kind(kind)
	var err error
	if s.Bytes, err = strconv.ParseInt(strings.TrimSpace(fields[1]), 10, 64); err != nil {
		return s, fmt.Errorf("bytes %q, want a whole number", fields[1])
	}
	for i, into := range []*float64{&s.Loop, &s.Time} {
		if *into, err = strconv.ParseFloat(strings.TrimSpace(fields[2+i]), 64); err != nil {
			return s, fmt.Errorf("time %q, want nanoseconds", fields[2+i])
		}
	}
	return s, s.check()
}

// maxBytes keeps factors of the equations exact.
const maxBytes = 1 << 45

func (s Sample) check() error {
	switch {
	case s.Kind > Exchange:
		return fmt.Errorf("kind %d is unknown", s.Kind)
	case s.Bytes < 0 || s.Bytes > maxBytes:
		return fmt.Errorf("%d bytes, want 0 to 2^45", s.Bytes)
	case !(s.Time > 0) || math.IsInf(s.Time, 0):
		return fmt.Errorf("time %v, want more than 0 ns", s.Time)
	case !(s.Loop >= 0) || math.IsInf(s.Loop, 0):
		return fmt.Errorf("loop %v, want 0 ns or more", s.Loop)
	}
	return nil
}

// longLoop is a loop longer than any round trip of factors.
const longLoop = 1 << 50

// factors says how often each parameter enters the time of a sample, and what is added to
// it, if s and S are those of p. Covered: the loop is longer than the round trip.
func (s Sample) factors(p loggps.Params, covered bool) (f vector, constant float64) {
	time, constant := s.equation(covered)
	terms := loggps.TermsOf(p, time)
	copy(f[:parameters], terms[:])
	return f, constant
}

// equation is the one that the sample follows, less a constant.
func (s Sample) equation(covered bool) (time func(loggps.Params) float64, constant float64) {
	time = func(q loggps.Params) float64 { return q.RoundTrip(s.Bytes, 0) }
	switch {
	case s.Kind == Send:
		return func(q loggps.Params) float64 { return q.SendTime(s.Bytes, 0) }, s.Loop
	case covered:
		time = func(q loggps.Params) float64 { return q.RoundTrip(s.Bytes, longLoop) - longLoop }
		constant = s.Loop
	}
	return time, constant
}

// covers tells whether the loop of a sample is longer than what it can hide, by given
// parameters: what a round trip without a loop takes longer.
func (s Sample) covers(p loggps.Params) bool {
	return s.Loop > 0 && s.Loop >= p.RoundTrip(s.Bytes, 0)-(p.RoundTrip(s.Bytes, longLoop)-longLoop)
}

// Sizes are sizes to measure, from 0 to most. Some are below 64 bytes, where a message may fit a
// cache line. From there on there are four to an octave, to find a switch to a fifth of its size.
func Sizes(most int64) []int64 {
	sizes := []int64{0, 8, 24, 32}
	for octave := int64(64); octave <= most; octave *= 2 {
		for quarter := range int64(4) {
			if k := octave + quarter*octave/4; k <= most {
				sizes = append(sizes, k)
			}
		}
	}
	return sizes
}

// slower returns, from medians, a first guess at which loops cover the round trip: with
// those the round trip is clearly slower than without a loop.
func slower(cells []Sample) func(Sample) bool {
	bare := map[int64]float64{}
	for _, c := range cells {
		if c.Kind == RoundTrip && c.Loop == 0 {
			bare[c.Bytes] = c.Time
		}
	}
	covered := map[[2]float64]bool{}
	for _, c := range cells {
		if c.Kind == RoundTrip && c.Loop > 0 {
			covered[[2]float64{float64(c.Bytes), c.Loop}] = c.Time > 1.05*bare[c.Bytes]
		}
	}
	return func(s Sample) bool { return covered[[2]float64{float64(s.Bytes), s.Loop}] }
}

// medians returns one sample for all of the same kind, size and loop, with their median
// time, in order of size.
func medians(samples []Sample) []Sample {
	type key struct {
		Kind  Kind
		Bytes int64
		Loop  float64
	}
	cells := map[key][]float64{}
	for _, s := range samples {
		k := key{s.Kind, s.Bytes, s.Loop}
		cells[k] = append(cells[k], s.Time)
	}
	var all []Sample
	for k, times := range cells {
		all = append(all, Sample{k.Kind, k.Bytes, k.Loop, median.Of(times)})
	}
	slices.SortFunc(all, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Loop, b.Loop), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}
