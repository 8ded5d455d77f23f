package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/chart"
)

// A fact is a number of the paper and ours beside it.
type fact struct{ What, Paper, Here string }

// find is the median of a value of the first sample that matches, or NaN.
func (e *experiment) find(value string, match func(*sample) bool) float64 {
	return e.findStat(value, match).median
}

// findStat is a value of the first sample that matches, or no number.
func (e *experiment) findStat(value string, match func(*sample) bool) stat {
	for _, s := range e.samples {
		if !match(s) {
			continue
		}
		if st, ok := s.stat(value); ok {
			return st
		}
	}
	return stat{math.NaN(), math.NaN(), math.NaN()}
}

// pipelined is the contestant that the paper calls sm.
const pipelined = "sm/none"

// latencyFacts compare the shortest and the longest message.
func latencyFacts(e *experiment) (facts []fact) {
	for i, n := range ends(distinct(e.samples, func(s *sample) int { return s.bytes })) {
		of := func(who string) stat {
			return e.findStat("t_us", func(s *sample) bool { return s.contestant == who && s.bytes == n })
		}
		ours, sm := of("pvas"), of(pipelined)
		facts = append(facts, fact{
			"pvas to sm (pipelined), " + size(n), []string{"equal", "less"}[i],
			orMissing(compared(ours.median/sm.median, ours, sm)),
		})
	}
	return facts
}

// ends are the first and the last, where there are two.
func ends(list []int) []int {
	if len(list) < 2 {
		return nil
	}
	return []int{list[0], list[len(list)-1]}
}

func orMissing(text string) string {
	if text == "" {
		return "not measured"
	}
	return text
}

// npbFacts say how much faster the one address space is at best.
func npbFacts(e *experiment) (facts []fact) {
	paper := []string{"up to +11 %", "up to +18 %"}
	for i, setting := range firsts(e.samples, bySetting) {
		best, where, mark := math.NaN(), "", ""
		for _, name := range firsts(e.samples, func(s *sample) string { return s.benchmark }) {
			of := func(who string) stat {
				return e.findStat("mops", func(s *sample) bool {
					return s.setting == setting && s.contestant == who && s.benchmark == name
				})
			}
			ours, sm := of("pvas"), of(pipelined)
			if r := ours.median / sm.median; !(r <= best) && !math.IsNaN(r) {
				best, where, mark = r, name, ""
				if ours.overlaps(sm) {
					mark = unclear
				}
			}
		}
		if where != "" && i < len(paper) {
			facts = append(facts,
				fact{"pvas to sm (pipelined), " + setting, paper[i],
					"up to " + mark + percent(best) + " (" + where + ")"})
		}
	}
	return facts
}

// footprintFacts are the exponent of sm, and what one address space saves at the
// largest number of ranks that was measured with a length.
func footprintFacts(e *experiment) (facts []fact) {
	paper := map[int][2]string{2 << 10: {"256 MB at 240 ranks", "264 MB at 240 ranks"},
		16 << 10: {"", "51 MB at 240 ranks"}}
	for _, n := range distinct(e.samples, func(s *sample) int { return s.bytes }) {
		in := only(e.samples, func(s *sample) bool { return s.bytes == n })
		largest := slices.Max(distinct(in, func(s *sample) int { return s.ranks }))
		for _, g := range (figure{value: "tables_growth_kib", x: overRanks}).grids(in) {
			if i := slices.IndexFunc(g.curves, func(c curve) bool { return c.name == pipelined }); i >= 0 {
				facts = append(facts,
					fact{"exponent of the page tables of sm, " + size(n), "about 2", exponent(g.places, g.curves[i])})
			}
		}
		of := func(value, who string) float64 {
			return e.find(value, func(s *sample) bool {
				return s.ranks == largest && s.bytes == n && s.contestant == who
			})
		}
		if r := ratio(of("tables_growth_kib", pipelined) / of("model_kib", pipelined)); r != "" {
			facts = append(facts,
				fact{"page tables of sm to the model's, " + size(n), "", fmt.Sprintf("%s at %d ranks", r, largest)})
		}
		for i, value := range []string{"tables_growth_kib", "pss_growth_kib"} {
			less := of(value, pipelined) - of(value, "pvas")
			if math.IsNaN(less) {
				continue
			}
			facts = append(facts, fact{
				fmt.Sprintf("less %s than sm, %s", []string{"page tables", "memory"}[i], size(n)), paper[n][i],
				fmt.Sprintf("%s MB at %d ranks", chart.Number(less*1024/1e6), largest),
			})
		}
	}
	return facts
}

// isFacts is the paper's table.
func isFacts(e *experiment) (facts []fact) {
	rows := []struct {
		value, name, unit string
		scale             float64
		paper             [2][2]string // by setting: sm, pvas
	}{
		{"own_memory_kib", "memory", "MB", 1024 / 1e6, [2][2]string{{"547", "517"}, {"524", "503"}}},
		{"own_tables_kib", "page tables", "MB", 1024 / 1e6, [2][2]string{{"51", "31"}, {"41", "31"}}},
		{"mops", "rate", "Mop/s", 1, [2][2]string{{"432.6", "434.0"}, {"377.2", "406.5"}}},
	}
	for i, setting := range firsts(e.samples, bySetting) {
		for _, r := range rows {
			of := func(who string) string {
				v := e.find(r.value, func(s *sample) bool { return s.setting == setting && s.contestant == who })
				if math.IsNaN(v) {
					return "–"
				}
				return chart.Number(v * r.scale)
			}
			if i < 2 {
				facts = append(facts, fact{
					fmt.Sprintf("%s, %s: sm, pvas (%s)", r.name, setting, r.unit), r.paper[i][0] + ", " + r.paper[i][1],
					of(pipelined) + ", " + of("pvas"),
				})
			}
		}
	}
	return facts
}

// pieFacts are what position independence costs.
func pieFacts(e *experiment) (facts []fact) {
	of := func(setting string) stat {
		return e.findStat("cpu_s", func(s *sample) bool { return s.setting == setting })
	}
	for _, setting := range firsts(e.samples, bySetting) {
		if setting != fixedAddress {
			here, fixed, mark := of(setting), of(fixedAddress), ""
			if here.overlaps(fixed) {
				mark = unclear
			}
			facts = append(facts,
				fact{"CPU time, " + setting, "−0.5 % to +1.4 %", mark + percent(here.median/fixed.median)})
		}
	}
	return facts
}
