package transport

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"os"
	"sync"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// tcpCarrier carries messages over TCP: a connection for each pair of nodes and urgency, a
// goroutine that reads from each. A message is its length, in four bytes, and its bytes.
type tcpCarrier struct {
	self     Node
	listener *os.File
	address  netip.AddrPort
	arrived  chan Message
	ended    chan struct{}

	mu      sync.Mutex
	at      map[Node]netip.AddrPort
	streams map[streamKey]*stream
	closed  bool
	users   sync.WaitGroup
}

type streamKey struct {
	node   Node
	urgent bool
}

// stream is a connection. mu keeps messages of several goroutines apart.
type stream struct {
	mu   sync.Mutex
	conn *os.File
}

// longestTCP bounds what a peer can have another one allocate.
const longestTCP = 64 << 20

// openTCP opens a carrier over TCP.
func openTCP(self Node, listen netip.AddrPort) (Carrier, error) {
	l, address, err := sys.ListenTCP(listen)
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	c := &tcpCarrier{
		self: self, listener: l, address: address, arrived: make(chan Message), ended: make(chan struct{}),
		at: map[Node]netip.AddrPort{}, streams: map[streamKey]*stream{},
	}
	c.users.Go(c.accept)
	return c, nil
}

// Address implements Carrier.
func (c *tcpCarrier) Address() netip.AddrPort { return c.address }

// Reach implements Carrier.
func (c *tcpCarrier) Reach(n Node, at netip.AddrPort) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[n] = at
	return nil
}

// accept takes connections, which begin with their node and urgency.
func (c *tcpCarrier) accept() {
	for {
		conn, err := sys.AcceptTCP(c.listener)
		if err != nil {
			return
		}
		var who [5]byte
		if _, err := io.ReadFull(conn, who[:]); err != nil {
			_ = conn.Close()
			continue
		}
		c.mu.Lock()
		c.add(streamKey{binary.BigEndian.Uint32(who[:]), who[4] == 1}, conn)
		c.mu.Unlock()
	}
}

// add keeps a connection and reads from it. The lock is held.
func (c *tcpCarrier) add(key streamKey, conn *os.File) *stream {
	s := &stream{conn: conn}
	if c.closed {
		_ = conn.Close()
		return s
	}
	c.streams[key] = s
	c.users.Go(func() { c.read(key.node, conn) })
	return s
}

// read hands messages over until the connection ends.
func (c *tcpCarrier) read(from Node, conn *os.File) {
	var length [4]byte
	for {
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		n := binary.BigEndian.Uint32(length[:])
		if n > longestTCP {
			_ = conn.Close()
			return
		}
		data := *tcpBuffers.Get().(*[]byte)
		if cap(data) < int(n) {
			data = make([]byte, n)
		}
		data = data[:n]
		if _, err := io.ReadFull(conn, data); err != nil {
			return
		}
		select {
		case c.arrived <- Message{From: from, Data: data, buffer: data}:
		case <-c.ended:
			return
		}
	}
}

// stream returns the connection to a node, made if need be.
func (c *tcpCarrier) stream(to Node, urgent bool) (*stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := streamKey{to, urgent}
	if s := c.streams[key]; s != nil {
		return s, nil
	}
	conn, err := sys.DialTCP(c.at[to])
	if err != nil {
		return nil, fmt.Errorf("transport: send to node %d: %w", to, err)
	}
	who := binary.BigEndian.AppendUint32(nil, c.self)
	who = append(who, 0)
	if urgent {
		who[4] = 1
	}
	if _, err := conn.Write(who); err != nil {
		return nil, fmt.Errorf("transport: send to node %d: %w", to, err)
	}
	return c.add(key, conn), nil
}

// Send implements Carrier.
func (c *tcpCarrier) Send(_ context.Context, to Node, data []byte, urgent bool) error {
	s, err := c.stream(to, urgent)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return sys.WriteTogether(s.conn, [][]byte{binary.BigEndian.AppendUint32(nil, uint32(len(data))), data})
}

// Flush implements Carrier: the kernel has copied all.
func (c *tcpCarrier) Flush(context.Context) error { return nil }

// Receive implements Carrier.
func (c *tcpCarrier) Receive(ctx context.Context) (Message, error) {
	select {
	case m := <-c.arrived:
		return m, nil
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	case <-c.ended:
		return Message{}, os.ErrClosed
	}
}

// State implements Carrier.
func (c *tcpCarrier) State() State { return State{} }

// Close implements Carrier.
func (c *tcpCarrier) Close() error {
	c.mu.Lock()
	c.closed = true
	close(c.ended)
	err := c.listener.Close()
	for _, s := range c.streams {
		_ = s.conn.Close()
	}
	c.mu.Unlock()
	c.users.Wait()
	return err
}
