package report

import (
	"fmt"
	"slices"
	"strings"
)

// generic is the section of an experiment that the paper does not have: a figure for each
// value. Messages are shown over their lengths, or over the ranks where these differ more.
func generic(e *experiment) section {
	s := section{experiment: e.name, title: "Benchmark " + e.name}
	var names []string
	for _, sample := range e.samples {
		names = append(names, sortedKeys(sample.values)...)
	}
	slices.Sort(names)
	x, split := spread(e.samples)
	for _, name := range slices.Compact(names) {
		title, unit := described(name)
		s.figures = append(s.figures, figure{
			title: title, value: name, unit: unit, x: x, split: split, log: unit == "µs",
			more: unit == "Mop/s" || unit == "per s",
		})
	}
	return s
}

// spread returns the axis over which samples differ most, and what is to be a figure of its
// own because the samples differ in it too.
func spread(samples []*sample) (x axis, split func(*sample) string) {
	programs := distinct(samples, func(s *sample) string { return s.benchmark })
	ranks := distinct(samples, func(s *sample) int { return s.ranks })
	bytes := distinct(samples, func(s *sample) int { return s.bytes })
	settings := distinct(samples, bySetting)
	x = overBenchmarks
	switch {
	case len(bytes) >= len(ranks) && len(bytes) > 1:
		x = overBytes
	case len(ranks) > 1:
		x = overRanks
	}
	parts := map[bool][]func(*sample) string{}
	add := func(differ bool, part func(*sample) string) { parts[differ] = append(parts[differ], part) }
	add(len(programs) > 1 && x.name != overBenchmarks.name, func(s *sample) string { return s.benchmark })
	add(len(ranks) > 1 && x.name != overRanks.name, byRanks)
	add(len(bytes) > 1 && x.name != overBytes.name, byBytes)
	add(len(settings) > 1, bySetting)
	if len(parts[true]) == 0 {
		return x, nil
	}
	return x, func(s *sample) string {
		var words []string
		for _, part := range parts[true] {
			words = append(words, part(s))
		}
		return strings.Join(words, ", ")
	}
}

// described says what a value is, by its name, which ends in the unit.
func described(name string) (title, unit string) {
	titles := map[string]string{
		"t_us": "Time", "formula_us": "Time by the formula", "t_s": "Time", "messages_per_s": "Messages",
		"mops": "Rate", "periods": "Time of the chain",
		"noncompute_percent": "Share of CPU time not spent computing", "own_tables_kib": "Page tables of the job",
		"tables_kib": "Page tables, whole machine", "tables_growth_kib": "Growth of page tables",
		"model_kib":  "Growth by the model",
		"memory_kib": "Memory, whole machine", "memory_growth_kib": "Growth of memory, whole machine",
		"idle_pss_kib":   "Memory of an idle rank",
		"pss_growth_kib": "Growth of memory (PSS)",
		"build_ns":       "To build a node", "issue_ns": "To issue a node", "reissue_ns": "To issue a node again",
	}
	for suffix, unit := range map[string]string{"_us": "µs", "_ns": "ns", "_kib": "KiB", "_percent": "%",
		"_per_s": "per s", "mops": "Mop/s", "periods": "periods"} {
		if strings.HasSuffix(name, suffix) {
			return orName(titles, name), unit
		}
	}
	return orName(titles, name), "s"
}

func orName(titles map[string]string, name string) string {
	if title, ok := titles[name]; ok {
		return title
	}
	return fmt.Sprintf("Value %s", name)
}
