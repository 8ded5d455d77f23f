package comm

import (
	"github.com/gopvas/gopvas/internal/btl/net"
	"github.com/gopvas/gopvas/internal/btl/net/devices"
	"github.com/gopvas/gopvas/internal/job"
)

// DeviceUse is what this rank has done with a network device.
type DeviceUse = job.DeviceUse

// Flight is a piece of a message that a network device has sent.
type Flight = devices.Flight

// Devices returns what this process' rank has done with each network device to other nodes,
// none before Init and in a job of one node.
func Devices() []DeviceUse {
	if m := network(); m != nil {
		return m.Devices().Uses()
	}
	return nil
}

// Flights returns the last pieces of long messages that this rank has sent through several
// devices, by the time of their start. It is for pictures.
func Flights() []Flight {
	if m := network(); m != nil {
		return m.Devices().Flights()
	}
	return nil
}

// network returns the module for other nodes, nil if there is none.
func network() *net.Module {
	world := World()
	if world == nil {
		return nil
	}
	for _, n := range world.networks {
		if m, ok := n.Messages.(*net.Module); ok {
			return m
		}
	}
	return nil
}
