package job

import (
	"fmt"
	"net/netip"
	"sync/atomic"
)

// devices returns the addresses of all devices of the node, nil if it has none.
func (c *Config) devices() []netip.Addr {
	if c.Devices == nil && c.Host.IsValid() {
		return []netip.Addr{c.Host}
	}
	return c.Devices
}

// checkDevices checks that the devices have addresses, and that Host is the first.
func (c *Config) checkDevices() error {
	if len(c.Devices) > MaxDevices {
		return fmt.Errorf("%d devices are given, and a node uses at most %d", len(c.Devices), MaxDevices)
	}
	for i, a := range c.Devices {
		if !a.IsValid() || i == 0 && a != c.Host {
			return fmt.Errorf("device %d of %d has address %v, and the node %v", i, len(c.Devices), a, c.Host)
		}
	}
	return nil
}

// device returns the address of a device of this node; it is not valid if there is none.
func (r *Root) device(i int) netip.Addr {
	if r.head.devices[i] == ([16]byte{}) {
		return netip.Addr{}
	}
	return netip.AddrFrom16(r.head.devices[i]).Unmap()
}

// Devices returns the addresses of the network devices of this node, the first of which is
// Host. There are none in a job of one node.
func (r *Root) Devices() (list []netip.Addr) {
	for i := range MaxDevices {
		if a := r.device(i); a.IsValid() {
			list = append(list, a)
		}
	}
	return list
}

// DeviceUse counts the work of a rank with a network device.
type DeviceUse struct {
	Sent, Received uint64 // bytes of messages
	Pieces         uint64 // parts of long messages that were sent
	Busy           uint64 // ns in which something was being sent
	Bandwidth      uint64 // measured, bytes per second; 0: not known
	Latency        uint64 // measured, ns; 0: not known
	Failures       uint64 // times that a peer could not be reached any more
}

// deviceBlock is a DeviceUse in the root block.
type deviceBlock struct {
	words [8]atomic.Uint64
}

// fields are all values, in the order in which they are published.
func (u *DeviceUse) fields() [7]*uint64 {
	return [...]*uint64{&u.Sent, &u.Received, &u.Pieces, &u.Busy, &u.Bandwidth, &u.Latency, &u.Failures}
}

// PublishDevice publishes the counts of a rank for a device. The rank itself calls it.
func (r *Root) PublishDevice(rank, device int, u DeviceUse) {
	b := r.block(rank)
	if uint(device) >= MaxDevices {
		return
	}
	for i, v := range u.fields() {
		b.devices[device].words[i].Store(*v)
	}
}

// DeviceUse returns the counts that a rank has published last for a device.
func (r *Root) DeviceUse(rank, device int) (u DeviceUse) {
	b := r.block(rank)
	if uint(device) >= MaxDevices {
		return u
	}
	for i, v := range u.fields() {
		*v = b.devices[device].words[i].Load()
	}
	return u
}
