package npb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseResult reads what an NPB program prints: its benchmark, class, number of
// iterations and processes, time, rate, and whether it is verified. The size is left
// out, and Checks are not known. The error says what is missing or not a number.
func ParseResult(from io.Reader) (r Result, err error) {
	values := make(map[string]string)
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if name, completed := strings.CutSuffix(strings.TrimRight(strings.TrimSpace(lines.Text()), "."),
			" Benchmark Completed"); completed {
			r.Benchmark = name
		}
		if name, value, found := strings.Cut(lines.Text(), "="); found {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); err != nil {
		return r, fmt.Errorf("npb: parse result: %w", err)
	}
	if r.Benchmark == "" {
		return r, errors.New("npb: parse result: it does not say which benchmark was completed")
	}
	r.Operation, r.Verified = values["Operation type"], values["Verification"] == "SUCCESSFUL"
	if r.Class, err = ParseClass(values["Class"]); err != nil {
		return r, err
	}
	number := func(name string) float64 {
		v, e := strconv.ParseFloat(values[name], 64)
		if e != nil && err == nil {
			err = fmt.Errorf("npb: parse result: %s: %w", name, e)
		}
		return v
	}
	r.Iterations, r.Ranks = int(number("Iterations")), int(number("Total processes"))
	r.Seconds, r.Mops = number("Time in seconds"), number("Mop/s total")
	return r, err
}
