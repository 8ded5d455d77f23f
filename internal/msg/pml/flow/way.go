package flow

// Way is what becomes of a send.
type Way uint8

const (
	Over       Way = iota // to nobody: there is nothing to send, and the send is over
	Itself                // to this rank: no transport has to do with it
	Lost                  // to a rank that has gone: the send fails
	Queued                // it waits until its peer has room, behind those that wait for the same
	Eager                 // the transport copies it, and the send is over
	Ahead                 // the peer is told of a copy, which it takes later, and the send is over
	Rendezvous            // the peer is told of it, and takes it from the sender's buffer
)

// Send is what is known of a send, and of its peer.
type Send struct {
	Nobody, Itself bool // its peer is ProcNull, or this rank
	Lost           bool // its peer has gone
	Behind         bool // sends to its peer wait
	Synchronous    bool // it is over when its receive has begun
	Patient        bool // its call waits, and so may look a while before a copy is made
	Bytes, Eager   int  // its length, and that of the longest message that its peer's transport copies

	// Refused says that the transport was to copy it, and has not taken it.
	Refused  bool
	NoCredit bool // the peer has released too little of what it has; else its ring is full
	Room     bool // the budget of copies has room for it
	Ahead    bool // sends to the peer are ahead
}

// Way decides what becomes of a send.
//
// Without credit a short send runs ahead of its receiver: it is over when the peer has been told of a copy. The copy is
// the sender's, so the memory of a job grows with its ranks and not with their square, and a budget bounds it. Then
// sends wait for their receiver again. A patient send first waits as long as a wait looks before it sleeps, since most
// receivers come soon. It does not if others to the peer are ahead already.
//
// Where the ring is full there may be room soon, and a message that the peer is told of would wait for its receive.
func (s *Send) Way() Way {
	switch {
	case s.Nobody:
		return Over
	case s.Itself:
		return Itself
	case s.Lost:
		return Lost
	case s.Behind:
		return Queued
	case s.Synchronous || s.Bytes > s.Eager:
		return Rendezvous
	case !s.Refused:
		return Eager
	case !s.NoCredit || s.Patient && s.Room && !s.Ahead:
		return Queued
	case !s.Room:
		return Rendezvous
	}
	return Ahead
}

// Unexpected decides what becomes of a send to this rank that finds no receive: as Ahead a copy waits for the receive,
// as Rendezvous the send does. Room says that the budget of such copies has room for it.
func (s *Send) Unexpected() Way {
	if s.Synchronous || s.Bytes > s.Eager || !s.Room {
		return Rendezvous
	}
	return Ahead
}
