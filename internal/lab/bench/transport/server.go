package transport

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/netip"
)

// The first byte of a message says what a server does with it. Numbers follow from byte 4 on,
// of 32 bits each.
const (
	opEcho  = 'e' // send it back
	opSink  = 's' // drop it
	opSend  = 'g' // length: send a message of that length back
	opTree  = 't' // position, nodes, root: pass it on, and tell the root
	opPeers = 'p' // JSON of addresses by node: reach them
	opState = 'q' // send the State back, as JSON
)

// treeHead is the length of what an opTree message begins with.
const treeHead = 16

// longestAnswer bounds what opSend asks for.
const longestAnswer = 16 << 20

// server answers messages.
type server struct {
	Carrier
	answer []byte
}

// Serve answers messages until the context ends or the carrier fails.
func Serve(ctx context.Context, c Carrier) error {
	s := &server{Carrier: c}
	for {
		m, err := c.Receive(ctx)
		if err != nil {
			return err
		}
		err = s.handle(ctx, &m)
		m.Free()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // the client has gone; others have not
		}
	}
}

func (s *server) handle(ctx context.Context, m *Message) error {
	if len(m.Data) == 0 {
		return nil
	}
	switch m.Data[0] {
	case opEcho:
		if err := s.Send(ctx, m.From, m.Data, true); err != nil || len(m.Data) <= copied {
			return err
		}
		return s.Flush(ctx)
	case opSend:
		return s.sendBack(ctx, m)
	case opTree:
		return s.passOn(ctx, m)
	case opPeers:
		return s.meet(ctx, m)
	case opState:
		text, err := json.Marshal(s.State())
		if err != nil {
			return err
		}
		return s.Send(ctx, m.From, text, true)
	}
	return nil
}

// sendBack sends a message of the length that is asked for.
func (s *server) sendBack(ctx context.Context, m *Message) error {
	n := int(number(m.Data, 0))
	if n > longestAnswer {
		return fmt.Errorf("transport: a message of %d bytes is asked for", n)
	}
	if len(s.answer) < n {
		s.answer = make([]byte, n)
	}
	return s.Send(ctx, m.From, s.answer[:n], false)
}

// number reads the i-th number of a message, 0 if it is too short.
func number(b []byte, i int) uint32 {
	if len(b) < 8+4*i {
		return 0
	}
	return binary.BigEndian.Uint32(b[4+4*i:])
}

// meet learns the addresses of the other nodes.
func (s *server) meet(ctx context.Context, m *Message) error {
	var peers map[Node]netip.AddrPort
	if err := json.Unmarshal(m.Data[1:], &peers); err != nil {
		return fmt.Errorf("transport: read addresses: %w", err)
	}
	for n, at := range peers {
		if err := s.Reach(n, at); err != nil {
			return err
		}
	}
	return s.Send(ctx, m.From, []byte{opPeers}, true)
}

// passOn sends a message on to the children in a binomial tree, and tells the root that it
// has come here. Node i of the tree is the root's number plus i.
func (s *server) passOn(ctx context.Context, m *Message) error {
	at, nodes, root := number(m.Data, 0), number(m.Data, 1), number(m.Data, 2)
	if len(m.Data) < treeHead || nodes > 1<<16 || at >= nodes {
		return fmt.Errorf("transport: a broadcast without its head")
	}
	if err := sendTree(ctx, s, m.Data, at, nodes, root); err != nil {
		return err
	}
	return s.Send(ctx, root, []byte{opTree}, true)
}

// sendTree sends a message to the children of a node: those that are 1, 2, 4 ... behind it
// and below the node's own lowest bit. The farthest is first: it has the most children.
func sendTree(ctx context.Context, c Carrier, data []byte, at, nodes, root uint32) error {
	reach := uint32(1)
	for reach < nodes && at&reach == 0 {
		reach <<= 1
	}
	sent := false
	for reach >>= 1; reach > 0; reach >>= 1 {
		child := at + reach
		if child >= nodes {
			continue
		}
		if sent && len(data) > copied { // the head of the child before is still needed
			if err := c.Flush(ctx); err != nil {
				return err
			}
		}
		binary.BigEndian.PutUint32(data[4:], child)
		if err := c.Send(ctx, root+child, data, false); err != nil {
			return err
		}
		sent = true
	}
	if !sent || len(data) <= copied {
		return nil
	}
	return c.Flush(ctx)
}
