package comm

import (
	"github.com/gopvas/gopvas/btl/net"
	"github.com/gopvas/gopvas/job"
)

// DeviceUse is what this rank has done with a network device.
type DeviceUse = job.DeviceUse

// Flight is a piece of a message that a network device has sent.
type Flight = net.Flight

// Devices returns what this rank has done with each network device to other nodes, none in a
// job of one node.
func (c *Comm) Devices() []DeviceUse {
	if m := c.network(); m != nil {
		return m.Devices()
	}
	return nil
}

// Flights returns the last pieces of long messages that this rank has sent, if there are
// several devices. It is for pictures.
func (c *Comm) Flights() []Flight {
	if m := c.network(); m != nil {
		return m.Flights()
	}
	return nil
}

// network returns the module for other nodes, nil if there is none.
func (c *Comm) network() *net.Module {
	if c == nil {
		return nil
	}
	for _, n := range c.networks {
		if m, ok := n.Messages.(*net.Module); ok {
			return m
		}
	}
	return nil
}
