package debug

import (
	"time"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// DeviceUse is what a rank has done with a network device.
type DeviceUse struct {
	Sent, Received uint64 // bytes of messages
	Pieces         uint64 // parts of long messages that were sent
	Busy           uint64 // ns in which something was being sent
	Bandwidth      uint64 // measured, bytes per second; 0: not known
	Latency        uint64 // measured, ns; 0: not known
	Failures       uint64 // times that a peer could not be reached any more
}

// Flight is a piece of a message that a network device has sent.
type Flight struct {
	Device, Peer int
	Message      int // of those that were sent together; -1: it was sent for itself
	Bytes        int
	Start, End   time.Time
}

// Devices returns what this process' rank has done with each network device to other nodes,
// none in a job of one node.
func Devices() []DeviceUse {
	var all []DeviceUse
	for _, d := range comm.Devices() {
		all = append(all, DeviceUse(d))
	}
	return all
}

// Flights returns the last pieces of long messages that this rank has sent through several
// devices, by the time of their start.
func Flights() []Flight {
	var all []Flight
	for _, f := range comm.Flights() {
		all = append(all, Flight(f))
	}
	return all
}
