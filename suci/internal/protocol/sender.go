package protocol

import "sort"

// sender is the sending half of a lane: the blocks that are queued or not acknowledged,
// and what is known of each packet under way. A lane that has nothing to send has none;
// its numbers are kept in the peer.
//
//	una        next         limit        end
//	 |----------|------------|------------|
//	 under way   may be sent  waits for a grant
//
// Packets of [una, next) have a flight each. A packet is first waiting (nothing has been
// heard of it), then acked, or lost when the receiver asks for it again; sending it
// again makes it waiting. Only the receiver's request makes it lost: if none comes, a
// probe asks the receiver what it lacks. A packet that the receiver has refused for lack
// of memory, or lacks and does not ask for yet, is parked until it does: it is not under way.
type sender struct {
	peer    *Peer
	lane    uint8
	blocks  deque[*Outgoing]
	voids   int // how many of them were given up
	una     uint64
	next    uint64
	limit   uint64
	end     uint64
	holding uint64 // nothing is sent before the receiver has skipped to here; 0: free
	flights []flight
	lost    int // packets that may be sent again
	waiting int // packets under way
	parked  int // packets that the receiver refused
	served  Time
	since   Time // since when nothing was heard of what the lane waits for
	asked   bool // a probe was sent since the last grant
	unasked int  // packets since the last one that asked for an acknowledgement, or since all were acknowledged
}

type flightState uint8

const (
	idle flightState = iota
	waiting
	acked
	lost
	parked
)

// flight is what is known of a packet.
type flight struct {
	at    Time
	times uint8 // sent so often, at most 255
	state flightState
}

func (s *sender) flight(seq uint64) *flight { return &s.flights[seq&uint64(len(s.flights)-1)] }

// growFlights makes room for n flights.
func (s *sender) growFlights(n int) {
	if n <= len(s.flights) {
		return
	}
	old, size := s.flights, max(16, 2*len(s.flights))
	s.flights = make([]flight, size)
	for seq := s.una; seq < s.next && len(old) > 0; seq++ {
		*s.flight(seq) = old[seq&uint64(len(old)-1)]
	}
}

// queue appends a block.
func (s *sender) queue(o *Outgoing) {
	o.sender, o.begin = s, s.end
	o.cut(s.peer.payload)
	s.end += uint64(o.total)
	s.blocks.push(o)
}

// block finds the block of a packet.
func (s *sender) block(seq uint64) *Outgoing {
	n := s.blocks.len()
	if first := s.blocks.at(0); seq < first.end() {
		return first
	}
	i := sort.Search(n, func(i int) bool { return s.blocks.at(i).end() > seq })
	return s.blocks.at(i)
}

// fresh is the number of packets that may be sent for the first time.
func (s *sender) fresh() int {
	if s.holding != 0 {
		return 0
	}
	top := min(s.limit, s.end, s.una+maxWindow)
	if top <= s.next {
		return 0
	}
	return int(top - s.next)
}

// blocked tells whether the lane waits for a grant.
func (s *sender) blocked() bool { return s.next == s.limit && s.next < s.end && s.holding == 0 }

// done tells whether the lane has nothing left to do.
func (s *sender) done() bool { return s.una == s.end }

// remaining is the number of packets of the first unsent block that are to be sent, by
// which the shortest is found.
func (s *sender) remaining() uint64 {
	if s.next >= s.end {
		return 0
	}
	return s.block(s.next).end() - s.next
}

// unsent is the number of bytes that wait to be sent for the first time.
func (s *sender) unsent() uint64 { return (s.end - s.next) * uint64(s.peer.payload) }

// nextLost returns the lowest lost packet. There must be one.
func (s *sender) nextLost() uint64 {
	for seq := s.una; ; seq++ {
		if s.flight(seq).state == lost {
			return seq
		}
	}
}

// send marks a packet of a block sent. first tells whether it is its first time. A packet
// of a block given up makes the receiver skip to the block's end, so nothing behind the
// packet is sent before the receiver has done so.
func (s *sender) send(now Time, seq uint64, o *Outgoing) (first bool) {
	first = seq == s.next
	if first {
		s.growFlights(int(seq + 1 - s.una))
		s.next++
		*s.flight(seq) = flight{}
	}
	if o.void && o.end() > s.next {
		s.holding = o.end()
	}
	f := s.flight(seq)
	s.leave(f)
	f.at, f.state = now, waiting
	f.times = uint8(min(int(f.times)+1, 255))
	if s.waiting == 0 {
		s.since = now
	}
	s.waiting++
	s.peer.underWay++
	s.peer.machine.all.underWay++
	return first
}

// leave takes a packet out of the count of its state.
func (s *sender) leave(f *flight) {
	switch f.state {
	case waiting:
		s.waiting--
		s.peer.underWay--
		s.peer.machine.all.underWay--
	case lost:
		s.lost--
	case parked:
		s.parked--
	}
}

// settle marks a packet as having arrived, and returns its bytes; none, if that was known, or its
// block was given up. block is the index of its block or of one before, and is brought up to its own.
func (s *sender) settle(seq uint64, block *int) (bytes int) {
	f := s.flight(seq)
	if f.state == acked {
		return 0
	}
	s.leave(f)
	f.state = acked
	for *block < s.blocks.len() && s.blocks.at(*block).end() <= seq {
		*block++
	}
	if *block == s.blocks.len() {
		return 0
	}
	switch o := s.blocks.at(*block); {
	case o.void:
		return 0
	case o.end() == seq+1:
		return o.payload - int(o.short)
	default:
		return o.payload
	}
}

// advance notes that all packets before next have arrived, and finishes their blocks.
// It tells whether next can be true.
func (s *sender) advance(next uint64) bool {
	if next > s.next && next > s.holding {
		return false
	}
	bytes, block := 0, 0
	for ; s.una < min(next, s.next); s.una++ {
		bytes += s.settle(s.una, &block)
	}
	s.peer.machine.all.acked.Add(uint64(bytes))
	s.una, s.next = max(s.una, next), max(s.next, next)
	if s.una >= s.holding || s.una == s.next {
		// Where all that was sent has arrived and the receiver has not skipped, an earlier
		// copy of the packet arrived, from before the block was given up.
		s.holding = 0
	}
	for s.blocks.len() > 0 && s.blocks.at(0).end() <= s.una {
		o := s.blocks.pop()
		s.retire(o, nil)
	}
	return true
}

// retire ends a block, once.
func (s *sender) retire(o *Outgoing, err error) {
	if o.void {
		s.voids--
		return // its owner has been told
	}
	o.sender = nil
	if err == nil {
		s.peer.machine.count.BlocksOut++
	} else {
		s.peer.machine.count.BlocksFailed++
	}
	o.finish(err)
}

// giveUp makes the receiver skip a block. Its owner has it back at once.
func (s *sender) giveUp(o *Outgoing, err error) {
	// The owner may reuse the Outgoing, so another one takes its place in the queue.
	shadow := &Outgoing{Priority: o.Priority, sender: s, begin: o.begin, total: o.total, short: o.short, void: true}
	i := sort.Search(s.blocks.len(), func(i int) bool { return s.blocks.at(i).end() > o.begin })
	s.blocks.set(i, shadow)
	s.voids++
	s.peer.touch()
	s.retire(o, err)
}

// fail ends all blocks of the lane.
func (s *sender) fail(err error) {
	s.peer.underWay -= s.waiting
	s.peer.machine.all.underWay -= s.waiting
	s.waiting, s.lost, s.parked = 0, 0, 0
	s.una, s.next = s.end, s.end
	for s.blocks.len() > 0 {
		s.retire(s.blocks.pop(), err)
	}
}
