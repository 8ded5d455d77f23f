package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gopvas/gopvas/internal/lab/bench/meter"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
	"github.com/gopvas/gopvas/pagetable"
)

// nodeMeasurement is what a node tells of its page tables.
type nodeMeasurement struct {
	meter.Measurement
	Err string `json:",omitempty"` // why there is no Measurement; "": there is one
}

// meterNode measures the page tables of a node.
func meterNode(j *launcher.Job, to io.Writer) (func(), error) {
	gauge, err := meter.NewMeter()
	if err != nil {
		return nil, err
	}
	gauge.Attach(j)
	idle := j.Part.Idle()
	return func() {
		var n nodeMeasurement
		if n.Measurement, err = gauge.Measurement(); err != nil {
			n.Err = err.Error()
		}
		switch {
		case idle:
			n.Err = "no rank was there at the start"
		case errors.Is(err, meter.ErrNotMeasured):
			n.Err = notMeasured
		}
		_ = json.NewEncoder(to).Encode(n) // an error: the leader is gone
	}, nil
}

// nodesMeter is --report pagetable of a job on several nodes.
type nodesMeter struct{ text map[int][]byte } // JSON, by number of the node

func (m *nodesMeter) take(p *cluster.Piece) {
	if m.text == nil {
		m.text = map[int][]byte{}
	}
	m.text[p.Node] = append(m.text[p.Node], p.Data...)
}

// print prints the report of each node, and the sums of those that have one.
func (m *nodesMeter) print(w io.Writer, nodes []cluster.NodeInfo) error {
	var all []pagetable.Report
	for number, node := range nodes {
		fmt.Fprintf(w, "node %s: ", node.Name)
		var n nodeMeasurement
		if err := json.Unmarshal(m.text[number], &n); err != nil {
			fmt.Fprintln(w, "it has told nothing of its page tables")
			continue
		}
		if n.Err != "" {
			fmt.Fprintln(w, n.Err)
			continue
		}
		all = append(all, n.Report)
		if err := printMeasurement(w, n.Measurement); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "all nodes: %s", pagetable.Add(all))
	return err
}
