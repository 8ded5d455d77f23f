package transport

import (
	"context"
	"net/netip"
	"sync"

	"github.com/gopvas/gopvas/suci"
)

// Node names a peer.
type Node = uint32

// Message is a message that has arrived. Its data is valid until Free.
type Message struct {
	From Node
	Data []byte

	block  suci.Received // over suci
	buffer []byte        // over TCP
}

// Free gives the memory back.
func (m *Message) Free() {
	m.block.Free()
	if m.buffer != nil {
		tcpBuffers.Put(&m.buffer)
	}
}

// Carrier carries whole messages between nodes: over suci or TCP. Several goroutines may
// send; one receives.
type Carrier interface {
	// Address is where this end receives.
	Address() netip.AddrPort
	// Reach says where a node is.
	Reach(Node, netip.AddrPort) error
	// Send sends a message. The data must stay as it is until Flush returns. Urgent
	// messages need not wait behind others.
	Send(ctx context.Context, to Node, data []byte, urgent bool) error
	// Flush waits until nothing that was sent is needed any more.
	Flush(ctx context.Context) error
	// Receive waits for a message. The caller frees it.
	Receive(ctx context.Context) (Message, error)
	// State is what the carrier knows of its connections, for people.
	State() State
	// Close ends the carrier. A Receive that waits returns an error.
	Close() error
}

var tcpBuffers = sync.Pool{New: func() any { return new([]byte) }}
