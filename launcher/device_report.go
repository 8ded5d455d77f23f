package launcher

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// reportDevices reports the use of the devices of this node, when all ranks have ended.
func reportDevices(root *job.Root, say func(string, ...any)) {
	for number, a := range root.Devices() {
		var sum job.DeviceUse
		var busiest uint64
		for rank := range root.Ranks() {
			if root.Node(rank) != root.Here() {
				continue
			}
			u := root.DeviceUse(rank, number)
			sum.Sent, sum.Received, sum.Pieces = sum.Sent+u.Sent, sum.Received+u.Received, sum.Pieces+u.Pieces
			sum.Failures += u.Failures
			sum.Bandwidth, sum.Latency = max(sum.Bandwidth, u.Bandwidth), max(sum.Latency, u.Latency)
			busiest = max(busiest, u.Busy)
		}
		say("device %d (%s): %s", number, sys.DescribeAddress(a), describeUse(&sum, busiest))
	}
}

// describeUse says what the ranks of a node have done with a device, the busiest of them for so many
// ns. A dash is for what was not measured.
func describeUse(u *job.DeviceUse, busiest uint64) string {
	known := func(v uint64, format string, unit float64) string {
		if v == 0 {
			return "-"
		}
		return fmt.Sprintf(format, float64(v)/unit)
	}
	state := fmt.Sprintf("failed %d times", u.Failures)
	if u.Received == 0 {
		state = "not known to have reached a peer"
	}
	return fmt.Sprintf("%d bytes sent, in %d pieces of long messages and otherwise, %d received; busy for %.3f s; %s "+
		"MB/s, latency %s us; %s",
		u.Sent, u.Pieces, u.Received, float64(busiest)/1e9, known(u.Bandwidth, "%.1f", 1e6),
		known(u.Latency, "%.0f", 1e3), state)
}
