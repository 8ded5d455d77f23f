package wire

import "net/netip"

// Datagram is a packet to be sent: Head and then Body.
type Datagram struct {
	To   netip.AddrPort
	Head []byte
	Body []byte // memory of the block's owner, or nil
}

// Len is the length of the datagram.
func (d *Datagram) Len() int { return len(d.Head) + len(d.Body) }
