package costs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/loggps"
)

// OperationsConfig describes the measurement of collective operations for package loggps.
type OperationsConfig struct {
	Ranks   int
	Choices []string // lists of operation=algorithm; each is a job
	Largest int      // bytes of the longest vector or block
	Limit   time.Duration

	Distance float64 // of the CPUs, ns: see Distances; 0: any
}

// Operations measures what calls of collective operations take by algorithms, between ranks of a
// contestant of ours. Algorithms that the contestant cannot do are left out, and so is what there
// was no time for.
func Operations(ctx context.Context, who runner.Contestant, c OperationsConfig) ([]loggps.Operation, error) {
	times := operationTimes{}
	for _, choice := range c.Choices {
		who.Settings.Coll = choice
		limit := c.Limit / time.Duration(len(c.Choices))
		args := []string{"operations", choice, strconv.Itoa(c.Largest), runner.Seconds(limit)}
		out, err := runAt(ctx, who, c.Distance, c.Ranks, args, limit, nil)
		if err != nil {
			return nil, fmt.Errorf("bench: operations of %s: %w", who, err)
		}
		if err := times.read(string(out)); err != nil {
			return nil, err
		}
	}
	return times.operations(c.Ranks), nil
}

// operationTimes are measured times, in ns, by operation=algorithm and bytes.
type operationTimes map[string]map[int64][]float64

// read adds what a job has printed: an operation, bytes and the ns of some parts a line.
func (t operationTimes) read(out string) error {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) < 3 {
			return fmt.Errorf("bench: operations: unexpected output %.200q: want an operation, bytes and times", line)
		}
		name := words[0]
		bytes, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return fmt.Errorf("bench: operations: unexpected output %.200q: %w", line, err)
		}
		if t[name] == nil {
			t[name] = map[int64][]float64{}
		}
		for _, word := range words[2:] {
			ns, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return fmt.Errorf("bench: operations: unexpected output %.200q: %w", line, err)
			}
			t[name][bytes] = append(t[name][bytes], ns)
		}
	}
	return nil
}

// operations have the times that a quarter of the parts do not exceed, as in tripRank.timed.
func (t operationTimes) operations(ranks int) (list []loggps.Operation) {
	for name, sizes := range t {
		o := loggps.Operation{Name: name, Ranks: ranks}
		for bytes, times := range sizes {
			o.Points = append(o.Points, loggps.OperationPoint{Bytes: bytes, Time: undisturbed(times)})
		}
		slices.SortFunc(o.Points, func(a, b loggps.OperationPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b loggps.Operation) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
