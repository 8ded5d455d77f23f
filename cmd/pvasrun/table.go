package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"text/tabwriter"
)

// newTable returns a writer of rows whose cells, each ended by a tab, are aligned to the right.
func newTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// printJSON prints one object per line.
func printJSON[R any](results []R) error {
	out := json.NewEncoder(os.Stdout)
	for _, r := range results {
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// ifKnown is a number above 0, or a dash.
func ifKnown(v float64) string {
	if v <= 0 {
		v = math.NaN()
	}
	return orDash(v)
}
