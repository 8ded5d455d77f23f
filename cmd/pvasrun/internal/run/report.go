package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/gopvas/gopvas/internal/lab/bench/meter"
)

// printReport prints what --report pagetable asks for. A job that was too short
// to be measured is no failure of the job.
func printReport(w io.Writer, gauge *meter.Meter) error {
	m, err := gauge.Measurement()
	if errors.Is(err, meter.ErrNotMeasured) {
		fmt.Fprintln(w, "pvasrun:", notMeasured)
		return nil
	}
	if err != nil {
		return err
	}
	return printMeasurement(w, m)
}

const notMeasured = "no report: the job ended before its page tables could be read"

func printMeasurement(w io.Writer, m meter.Measurement) error {
	if m.Stopped {
		fmt.Fprintf(w, "%d ranks were started and in Init after %.3f s\n", m.Ranks, m.InInit.Seconds())
	} else {
		fmt.Fprintln(w,
			"the ranks did not run from Init to Finalize: what follows compares samples taken while they ran")
	}
	if _, err := io.WriteString(w, m.String()); err != nil {
		return err
	}
	if err := m.WriteKinds(w); err != nil {
		return err
	}
	return m.WriteNodes(w)
}
