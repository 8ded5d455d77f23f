package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"
)

// NewTable returns a writer of rows whose cells, each ended by a tab, are aligned to the right.
func NewTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// PrintJSON prints one object per line.
func PrintJSON[R any](results []R) error {
	out := json.NewEncoder(os.Stdout)
	for _, r := range results {
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// IfKnown is a number above 0, or a dash.
func IfKnown(v float64) string {
	if v <= 0 {
		v = math.NaN()
	}
	return OrDash(v)
}

// OrDash prints a ratio or an exponent, if it is one.
func OrDash(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if math.Abs(v) < 0.1 {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
