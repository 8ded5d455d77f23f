package trace

import (
	"encoding/json"
	"fmt"
	"time"
)

// maxRanks bounds the number of ranks in a file.
const maxRanks = 1 << 16

// Meta is what is known about the job when it starts.
type Meta struct {
	Ranks      int       `json:"ranks"`
	Nodes      []int     `json:"nodes,omitempty"` // node of each rank; nil: all on one
	Hosts      []string  `json:"hosts,omitempty"` // name of each node
	BTL        string    `json:"btl"`             // task model
	CPUs       int       `json:"cpus"`            // of a node
	Started    time.Time `json:"started"`
	Command    []string  `json:"command,omitempty"`
	TickNS     float64   `json:"tick_ns"`          // about; Clock blocks say it exactly
	GapNS      float64   `json:"gap_ns,omitempty"` // that recording adds between two calls
	EagerLimit int       `json:"eager_limit"`
	Algorithms []string  `json:"algorithms,omitempty"` // by Tag of a collective call

	// BaseNS is where time 0 is on the monotonic clock of the machine that has recorded.
	BaseNS int64 `json:"base_ns,omitempty"`

	// ClockErrorNS says of each node how far its times may be off the clock of the job's leader.
	// The leader has measured that by round trips before the start. nil: there is one node.
	ClockErrorNS []int64 `json:"clock_error_ns,omitempty"`
}

// End is what is known about the job when it has ended.
type End struct {
	Events  uint64  `json:"events"`         // records written
	Lost    uint64  `json:"lost,omitempty"` // that the file has no space for, or that a node did not send
	Seconds float64 `json:"seconds"`
}

func parseEnd(b []byte) (e End, err error) {
	if err = json.Unmarshal(b, &e); err != nil {
		err = fmt.Errorf("the end makes no sense: %w", err)
	}
	return e, err
}

func parseMeta(b []byte) (m Meta, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		return m, err
	}
	switch {
	case m.Ranks < 1 || m.Ranks > maxRanks:
		return m, fmt.Errorf("number of ranks %d is outside 1..%d", m.Ranks, maxRanks)
	case m.ClockErrorNS != nil && (len(m.ClockErrorNS) == 0 || len(m.ClockErrorNS) > maxRanks):
		return m, fmt.Errorf("clocks of %d nodes make no sense", len(m.ClockErrorNS))
	case m.Nodes != nil && len(m.Nodes) != m.Ranks:
		return m, fmt.Errorf("nodes of %d ranks are given, there are %d", len(m.Nodes), m.Ranks)
	case !(m.TickNS > 0 && m.TickNS < 1e6):
		return m, fmt.Errorf("a tick of %g ns makes no sense", m.TickNS)
	case !(m.GapNS >= 0 && m.GapNS < 1e6):
		return m, fmt.Errorf("recording that takes %g ns makes no sense", m.GapNS)
	}
	for rank, node := range m.Nodes {
		if node < 0 || node >= m.Ranks {
			return m, fmt.Errorf("rank %d is on node %d of at most %d", rank, node, m.Ranks)
		}
	}
	return m, nil
}

// node returns the node of a rank.
func (m *Meta) node(rank int) int {
	if m.Nodes == nil {
		return 0
	}
	return m.Nodes[rank]
}
