package btl

// Header travels with every message. A module carries it and looks at nothing but
// Source and Length, which it fills in itself: the rank that sends, and the number
// of bytes of the whole message. The rest belongs to the layer above.
type Header struct {
	Source  int32
	Tag     int32
	Context uint32
	Flags   uint32
	Length  uint64
	Cookie  uint64
}

// HeaderSize is the number of bytes of a Header.
const HeaderSize = 32

// Frame is a message that has arrived. The Frame that deliver is given belongs to
// the module and is used again for the next message; a caller that keeps it copies it: a
// Frame is a plain value.
type Frame struct {
	Header

	// Payload is the message's bytes; nil if Offered. It is shared memory, to be
	// read only, and capped at its end. An inline payload is valid until deliver
	// returns: it lies in the queue. Any other is valid until Release.
	Payload []byte

	// Inline tells that Payload must be copied now if it is needed later.
	Inline bool

	// Offered tells that the bytes are still with the sender: exactly one call of
	// Accept is due for this frame, and no Release.
	Offered bool

	// Token and Place are the module's own.
	Token, Place uint64
}

// Transfer is a rendezvous on its way: the sender's end, from Offer, or the
// receiver's end, from Accept.
type Transfer interface {
	// Progress does a bounded piece of work if there is any, and never blocks. Once
	// it has returned true the transfer is over, its buffer is the caller's again,
	// and the Transfer must not be touched any more: the module uses it for another.
	//
	// The error, which always comes with true, says that the transfer has failed: a
	// *fault.LostError (wrapped) if the peer has gone. A receive buffer may have been
	// written to in part.
	Progress() (done bool, err error)
}
