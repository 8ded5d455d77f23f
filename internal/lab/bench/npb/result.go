package npb

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A Result is what a run has found.
type Result struct {
	Benchmark  string       `json:"benchmark"` // IS, EP, CG, MG, FT
	Class      Class        `json:"class"`
	Size       []int        `json:"size"` // one number, or the lengths of a grid
	Iterations int          `json:"iterations"`
	Ranks      int          `json:"ranks"`
	Threads    bool         `json:"threads,omitempty"` // goroutines of one process in place of ranks
	Seconds    float64      `json:"seconds"`           // of the slowest rank
	Mops       float64      `json:"mops"`              // millions of operations per second, of all ranks together
	Operation  string       `json:"operation"`
	Checks     []Comparison `json:"checks"`
	Verified   bool         `json:"verified"` // all checks hold
}

// A Comparison sets a number against the one that the specification gives.
type Comparison struct {
	Name      string  `json:"name"`
	Value     float64 `json:"value"`
	Want      float64 `json:"want"`
	Tolerance float64 `json:"tolerance"` // of the relative difference
}

// Holds tells whether the value is close enough.
func (c Comparison) Holds() bool {
	return math.Abs(c.Value-c.Want) <= c.Tolerance*math.Abs(c.Want) // false for NaN
}

// newResult completes a result: rates are of operations in so many seconds.
func newResult(r Result, seconds, operations float64) Result {
	r.Seconds = seconds
	if seconds > 0 {
		r.Mops = operations / seconds / 1e6
	}
	r.Verified = len(r.Checks) > 0
	for _, c := range r.Checks {
		r.Verified = r.Verified && c.Holds()
	}
	return r
}

// WriteTo prints the result in the form that NPB's programs have.
func (r Result) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, " %-15s = %24s\n", name, value) }
	fmt.Fprintf(&b, "\n\n %s Benchmark Completed.\n", r.Benchmark)
	line("Class", string(r.Class))
	line("Size", r.size())
	line("Iterations", fmt.Sprint(r.Iterations))
	line("Time in seconds", fmt.Sprintf("%.4f", r.Seconds))
	one, all := "process", "processes"
	if r.Threads {
		one, all = "thread", "threads"
	}
	line("Total "+all, fmt.Sprint(r.Ranks))
	line("Mop/s total", fmt.Sprintf("%.2f", r.Mops))
	line("Mop/s/"+one, fmt.Sprintf("%.2f", r.Mops/float64(r.Ranks)))
	line("Operation type", r.Operation)
	line("Verification", r.verdict())
	for _, c := range r.Checks {
		if !c.Holds() {
			fmt.Fprintf(&b, " %s is %.15g, and should be %.15g within %g\n", c.Name, c.Value, c.Want, c.Tolerance)
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (r Result) verdict() string {
	if r.Verified {
		return "SUCCESSFUL"
	}
	return "UNSUCCESSFUL"
}

// size is a number, or the lengths of a grid as in "256x 256x 128".
func (r Result) size() string {
	parts := make([]string, len(r.Size))
	for i, n := range r.Size {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, "x ")
}
