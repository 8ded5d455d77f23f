package debug

import "github.com/gopvas/gopvas/internal/msg/comm"

// GraphStatistics is what a rank has executed of nonblocking collective operations and
// graphs, its own and others'.
type GraphStatistics struct {
	Nodes   uint64 // all that move or combine bytes
	Foreign uint64 // those of other ranks' graphs
	Bytes   uint64 // moved or combined
	Memory  uint64 // bytes that the rank's graphs take that are underway, prepared or kept
}

// Graphs returns what this process' rank has executed.
func Graphs() GraphStatistics { return GraphStatistics(comm.World().GraphStats()) }
