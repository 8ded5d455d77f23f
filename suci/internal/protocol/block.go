package protocol

import (
	"math/bits"
)

// Outgoing is a block to be sent. The data must stay as it is until Done is called.
type Outgoing struct {
	Data     []byte
	Priority uint8  // 0 to 7, 7 is the most urgent
	Place    uint32 // what the receiver expects it as, 0: nothing
	Deadline Time   // 0: none
	// Done is called once, from within a call of the machine: with nil when the receiver
	// has the whole block, else with the reason.
	Done func(*Outgoing, error)

	sender  *sender // nil before it is queued and after Done
	begin   uint64
	total   uint32
	short   uint16
	void    bool // given up: the receiver is told to skip it
	payload int  // bytes of it in each packet
}

func (o *Outgoing) end() uint64 { return o.begin + uint64(o.total) }

// finish tells the owner that the block is its own again.
func (o *Outgoing) finish(err error) {
	if o.Done != nil {
		o.Done(o, err)
	}
}

// Incoming is a block that has been received.
type Incoming struct {
	From     ID
	Priority uint8
	Place    uint32 // where the receiver has expected it, 0: nowhere
	Data     []byte
	Err      error // ErrPlace or ErrAbandoned for a block with a place

	peer    *Peer
	begin   uint64
	total   uint32
	short   uint16
	payload int    // 0: not known
	got     uint32 // packets
	state   blockState
	buffer  []byte // the machine's, nil if Data is the program's
	late    bool   // it was begun before its predecessor was seen
}

type blockState uint8

const (
	filling blockState = iota
	voided             // given up by the sender
	skipped            // received, but kept nowhere
)

func (in *Incoming) end() uint64 { return in.begin + uint64(in.total) }

func (in *Incoming) complete() bool { return in.state == voided || in.got == in.total }

// Sizes of buffers: powers of two from smallBuffer on.
const (
	smallBuffer = 128
	classes     = 40
)

// memory is where blocks are kept that have no place of their own. It bounds what is
// held, and keeps freed buffers for reuse, at most spare bytes.
type memory struct {
	limit, held int
	late        int // held by blocks whose predecessors have not been seen
	spare       int
	free        [classes][][]byte
	blocks      []*Incoming
}

// class is the size of a buffer for n bytes, as its power of two above smallBuffer.
func class(n int) int {
	return max(0, bits.Len(uint(max(n, 1)-1))-bits.Len(uint(smallBuffer-1)))
}

// footprint is what a block of n bytes costs.
func footprint(n int) int { return smallBuffer << class(n) }

// get returns a buffer of n bytes, which put takes back.
func (m *memory) get(n int) []byte {
	c := class(n)
	m.held += smallBuffer << c
	if f := m.free[c]; len(f) > 0 {
		b := f[len(f)-1]
		m.free[c] = f[:len(f)-1]
		m.spare -= cap(b)
		return b[:n]
	}
	return make([]byte, n, smallBuffer<<c)
}

func (m *memory) put(b []byte) {
	m.held -= cap(b)
	if m.spare+cap(b) <= m.limit/8 {
		m.spare += cap(b)
		c := class(cap(b))
		m.free[c] = append(m.free[c], b)
	}
}

// bound changes the limit, and lets go of the freed buffers if they are too much for it.
func (m *memory) bound(limit int) {
	if m.limit = limit; m.spare > limit/8 {
		m.spare, m.free = 0, [classes][][]byte{}
	}
}

// block returns an empty Incoming.
func (m *memory) block() *Incoming {
	if n := len(m.blocks); n > 0 {
		in := m.blocks[n-1]
		m.blocks = m.blocks[:n-1]
		return in
	}
	return new(Incoming)
}

func (m *memory) recycle(in *Incoming) {
	*in = Incoming{}
	if len(m.blocks) < 1024 {
		m.blocks = append(m.blocks, in)
	}
}
