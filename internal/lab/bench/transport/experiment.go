package transport

import "time"

// Experiment is one measurement on a cluster.
type Experiment struct {
	Name    string // see Experiments
	Bytes   int
	Nodes   int // that take part
	Lasting time.Duration
}

// Result is what an experiment has given.
type Result struct {
	Experiment string  `json:"experiment"`
	Carrier    string  `json:"carrier"`
	Congestion string  `json:"congestion,omitempty"` // TCP's control of it
	Links      string  `json:"links"`
	Nodes      int     `json:"nodes"`
	Bytes      int     `json:"bytes"`
	Rounds     int     `json:"rounds,omitempty"`
	Median     float64 `json:"t_us,omitempty"`
	Least      float64 `json:"least_us,omitempty"`
	P99        float64 `json:"p99_us,omitempty"`
	Worst      float64 `json:"worst_us,omitempty"`
	MBytesPerS float64 `json:"mb_per_s,omitempty"` // 1e6 bytes that the busiest receiver takes; of beside: the stream's
	Again      float64 `json:"sent_again_percent"` // of the packets, or of TCP's segments
	Wakes      float64 `json:"wakes,omitempty"`    // of threads of all nodes, for each round
	Sockets    int64   `json:"sockets"`            // of all nodes, at the end
	Queued     int64   `json:"kernel_kib"`         // the most that was queued in sockets of this machine: see gauge
}

// Experiments are the names.
//
//	pingpong  half a round trip of a message
//	burst     bytes per second; messages are sent without a pause
//	gather    each node sends a message to one node, all at the same time
//	bcast     a message to all nodes over a binomial tree
//	beside    half a round trip, while a stream of messages goes to the same node
var Experiments = []string{"pingpong", "burst", "gather", "bcast", "beside"}
