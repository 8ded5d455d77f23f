package pagetable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/areas"
)

// errFormat is what the parsers of fields wrap: /proc did not look as it does on the Linux versions known.
var errFormat = errors.New("unexpected format")

// parseFields finds the wanted fields in text of the form "Name:   123 kB", one
// per line, as in /proc/PID/status, smaps_rollup and meminfo. Other lines are
// skipped, so that a kernel may add to them. A wanted field that is missing,
// there twice, not in kB or out of range is an error.
func parseFields(text []byte, want map[string]*int64) error {
	seen := make(map[string]bool, len(want))
	for line := range bytes.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":")
		to := want[name]
		if !ok || to == nil {
			continue
		}
		if seen[name] {
			return fmt.Errorf("field %s: given twice: %w", name, errFormat)
		}
		seen[name] = true
		n, err := parseKiB(value)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		*to = n
	}
	for name := range want {
		if !seen[name] {
			return fmt.Errorf("field %s: missing: %w", name, errFormat)
		}
	}
	return nil
}

// parseKiB reads "   123 kB".
func parseKiB(value string) (int64, error) {
	fields := strings.Fields(value)
	if len(fields) != 2 || fields[1] != "kB" {
		return 0, fmt.Errorf("%q is not a number of kB: %w", value, errFormat)
	}
	n, err := strconv.ParseUint(fields[0], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of kB: %w", value, errFormat)
	}
	return int64(n), nil
}

// parseStatus takes VmPTE and VmSize from /proc/PID/status.
func parseStatus(text []byte, u *Usage) error {
	return parseFields(text, map[string]*int64{"VmPTE": &u.VmPTE, "VmSize": &u.VmSize})
}

// parseRollup takes RSS and PSS from /proc/PID/smaps_rollup.
func parseRollup(text []byte, u *Usage) error {
	return parseFields(text, map[string]*int64{"Rss": &u.RSS, "Pss": &u.PSS})
}

// parseMeminfo takes the fields of m from /proc/meminfo.
func parseMeminfo(text []byte, m *Memory) error {
	return parseFields(text, map[string]*int64{
		"PageTables":   &m.PageTables,
		"MemAvailable": &m.MemAvailable,
		"MemFree":      &m.MemFree,
		"AnonPages":    &m.AnonPages,
		"Shmem":        &m.Shmem,
	})
}

// parseMaps takes Areas and Shared from /proc/PID/maps.
func parseMaps(r io.Reader, u *Usage) error {
	u.Areas, u.Shared = 0, 0
	return areas.Read(r, func(a areas.Area) {
		if u.Areas++; a.Shared() {
			u.Shared += int64((a.End - a.Start) >> 10)
		}
	})
}
