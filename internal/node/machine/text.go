package machine

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gopvas/gopvas/internal/node/limits"
)

// WriteText writes the report for people.
func (i Info) WriteText(w io.Writer) error {
	var b strings.Builder
	i.writeHardware(&b)
	i.Shape.write(&b)
	i.writeLimits(&b)
	i.writeFeatures(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (i Info) writeHardware(b *strings.Builder) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("CPU", "%s, %d usable", orUnknown(i.CPU.Model), i.CPU.Usable)
	if i.CPU.Quota > 0 {
		row("CPU quota", "%.3g CPUs at a time, by the control group", i.CPU.Quota)
	}
	row("Caches", "L1d %s, L2 %s, L3 %s, line %s",
		size(i.CPU.L1D), size(i.CPU.L2), size(i.CPU.L3), size(i.CPU.Line))
	row("CPU features", "%s", orUnknown(strings.Join(i.CPU.Features, " ")))
	row("Kernel", "Linux %s, %s, pages of %s", orUnknown(i.Kernel), i.Arch, size(i.PageSize))
	if faultsTakeTurns(i.Kernel) {
		row("", "in one address space only one rank at a time has a page fault, before Linux 6.4: touch memory once, "+
			"take --huge-pages, or --btl sm")
	}
	h := i.HugePages
	row("Huge pages", "transparent: %s, defrag: %s, shared memory: %s",
		orUnknown(h.Enabled), orUnknown(h.Defrag), orUnknown(h.Shmem))
	for _, p := range h.Reserved {
		row("", "reserved, of %s: %d", size(int(p.SizeKiB)*1024), p.Count)
	}
}

func (i Info) writeLimits(b *strings.Builder) {
	fmt.Fprintf(b, "\n%-22s %16s %12s %12s %9s\n", "Limit", "value", "used", "per rank", "ranks")
	for _, l := range i.Limits {
		line := fmt.Sprintf("%-22s %16s %12d %12d %9s  %s",
			l.Name, limitValue(l), l.Used, l.PerRank, number(l.Ranks, "any"), limitNote(l))
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
	for _, c := range i.Capacity {
		if c.Error != "" {
			fmt.Fprintf(b, "btl %s: no ranks: %s\n", c.BTL, c.Error)
			continue
		}
		if c.Ranks == nil {
			fmt.Fprintf(b, "btl %s: no limit on the number of ranks\n", c.BTL)
			continue
		}
		fmt.Fprintf(b, "btl %s: up to %d ranks (%s)\n", c.BTL, *c.Ranks, c.Limit)
	}
}

func (i Info) writeFeatures(b *strings.Builder) {
	fmt.Fprintf(b, "\n%-22s %-7s %s\n", "Feature", "", "used for")
	for _, f := range i.Features {
		answer, text := "no", strings.TrimPrefix(f.Purpose+": "+f.Error, ": ")
		switch {
		case f.OK:
			answer, text = "yes", f.Purpose
		case f.Unknown:
			answer = "unknown"
		}
		fmt.Fprintf(b, "%-22s %-7s %s\n", f.Name, answer, text)
		if f.Meaning != "" {
			fmt.Fprintf(b, "%-30s %s\n", "", f.Meaning)
		}
	}
}

// limitValue is the number, or why there is none.
func limitValue(l limits.Limit) string {
	if l.Error != "" {
		return "unknown"
	}
	return number(l.Value, "unlimited")
}

func limitNote(l limits.Limit) string {
	notes := []string{}
	if l.OneSpace {
		notes = append(notes, "one address space only")
	}
	for _, n := range []string{l.Note, l.Error} {
		if n != "" {
			notes = append(notes, n)
		}
	}
	return strings.Join(notes, "; ")
}

func number(v *uint64, none string) string {
	if v == nil {
		return none
	}
	return fmt.Sprint(*v)
}

// size is a number of bytes in the largest unit that divides it.
func size(n int) string {
	if n <= 0 {
		return "unknown"
	}
	for _, u := range []struct {
		unit  string
		bytes int
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func orUnknown(s string) string { return cmp.Or(s, "unknown") }
