package btl

import "github.com/gopvas/gopvas/shm"

// Capabilities is what a module has besides the methods of Messages. A field that is nil is a capability that the
// module does not have: its comment says what the caller does then.
//
// The engine asks for it once, when it gets the module, and keeps the fields that it uses. So the answer may depend on
// what the module has opened, but does not change later.
//
// "The rank" calls as the message methods are called: one goroutine at a time, under the caller's lock. No field
// blocks.
type Capabilities struct {
	// Memory is the module's memory, for any goroutine. nil: peers cannot attach memory of one another, as over a
	// network.
	Memory Memory

	// Short moves short messages in fewer steps. The rank calls it, and only while it has no other module. nil: the
	// rank uses Send and Poll for them.
	Short Short

	// SendZeroCopy is Send for a caller that does not need the payload back at once: the zero-copy attempt may go on
	// after it has returned. If it returns a Transfer, the attempt is pending, and the payload belongs to the message
	// as in Offer. After a bounded number of calls in vain, Progress falls back: it copies the payload to memory of
	// the module or to the heap, and says done. If the receiver has begun to copy then, the message stays as if
	// offered. False is as in Send, also for NoCredit. The rank calls it. nil: the rank uses Send.
	SendZeroCopy func(peer int, h *Header, payload []byte) (Transfer, bool)

	// SetWaiter gives the module the rank's waiter, before it is used. Sleep sleeps by it, and what takes long says
	// Worked. A module that waits for more than the rank's inbox, such as a socket, has the rank park there (ParkIn):
	// then what comes to either wakes the rank. A Sleep that has begun may end where the rank parked before. The rank
	// calls it. nil: the module needs no waiter.
	SetWaiter func(*shm.Waiter)

	// Together says that these messages are about to be sent, each by Send or Offer: a module that divides messages
	// among several network devices makes better plans then. A message that was named and is not sent costs nothing.
	// The rank calls it, and keeps the slice. nil: it makes no difference which messages are sent together.
	Together func([]Member)

	// More tells whether the message methods have left something to do of which nobody will notify the rank. Sleep asks
	// by itself. It is called under the lock, by who does not sleep but looks when the inbox is notified. nil: never.
	More func() bool

	// Attend has a goroutine of the module call a function when something may have come that the rank has not looked
	// at, and the rank has made no call for some milliseconds. The function tells whether a goroutine of the rank
	// waits, and must be told. It may call the message methods, under the lock. nil: nobody watches while the rank
	// computes.
	Attend func(look func() (waits bool))

	// Settled tells whether nothing is on its way between this rank and the peers of the module, as far as the module
	// can know: what has come was handed over, and what was sent was acknowledged. The rank calls it where it sleeps:
	// if messages have come, Settled has Sleep ask once more. nil: what is sent has arrived, and Senders names what
	// was not handed over.
	Settled func() bool
}

// Member is one of several messages that are sent together.
type Member struct {
	Peer    int
	Tag     int32
	Context uint32
	Bytes   int
}
