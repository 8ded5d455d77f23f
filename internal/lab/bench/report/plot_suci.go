package report

import (
	"fmt"
	"io"

	"github.com/gopvas/gopvas/internal/lab/bench/transport"
)

// suciTitles are the charts of bench suci.
var suciTitles = map[string]figure{
	"pingpong": {title: "Ping-pong", value: "mb_per_s", unit: "MB/s", more: true},
	"burst":    {title: "Burst", value: "mb_per_s", unit: "MB/s", more: true},
	"gather":   {title: "A message from each node to one", value: "mb_per_s", unit: "MB/s", more: true},
	"bcast":    {title: "Broadcast over a tree, each node", value: "mb_per_s", unit: "MB/s", more: true},
	"beside":   {title: "Half a round trip beside a stream, 99 %", value: "p99_us", unit: "µs"},
}

// PlotSuci draws a chart for each experiment and number of nodes, side by side.
func PlotSuci(w io.Writer, results []transport.Result) error {
	if len(results) == 0 {
		return errNoResults
	}
	var grids []grid
	samples := map[string][]*sample{}
	var order []string
	for _, r := range results {
		k := fmt.Sprintf("%s %d", r.Experiment, r.Nodes)
		if samples[k] == nil {
			order = append(order, k)
		}
		samples[k] = append(samples[k], &sample{
			key{benchmark: r.Experiment, contestant: r.Carrier, ranks: r.Nodes, bytes: r.Bytes},
			map[string][]float64{"t_us": {r.Median}, "p99_us": {r.P99}, "mb_per_s": {r.MBytesPerS}},
		})
	}
	for _, k := range order {
		f := suciTitles[samples[k][0].benchmark]
		f.title = fmt.Sprintf("%s, %d nodes", f.title, samples[k][0].ranks)
		f.x, f.log, f.base = overBytes, true, "tcp"
		grids = append(grids, f.grids(samples[k])...)
	}
	return plot(w, "network namespaces, "+results[0].Links, grids)
}
