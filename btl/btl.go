package btl

import "errors"

// HugePage is the size from which Alloc aligns to it, in bytes.
const HugePage = 2 << 20

var (
	// ErrClosed means that the module was used after Close.
	ErrClosed = errors.New("module is closed")
	// ErrExhausted means that the rank has no shared memory left to give out.
	ErrExhausted = errors.New("no room left for shared memory")
)

// Module is one rank's access to the memory of peers, and its messages. A network has
// no memory: its module is Messages alone. A rank may have several modules, each for some
// of its peers. No method blocks on another rank, except Sleep.
//
// Name, Alloc, Attach, Clear, Direct, EagerLimit, Sleep, Wake and Close may be called
// from any goroutine. The rest, and Transfer.Progress, are the message methods: the caller
// has a lock, under which one goroutine at a time calls them. The callers agree among
// themselves on memory: when a peer has allocated and filled what is attached here.
//
// The end of a rank (job.Root.Gone) is never an error of Send or Offer: they may go on as if
// the rank were there, or return false for ever. The caller asks the root.
type Module interface {
	Memory
	Messages
}

// Memory is the part of a module that gives out memory which peers can address.
type Memory interface {
	// Name returns the name of the task model, as in pvasrun --btl.
	Name() string

	// Alloc returns n bytes of this rank's memory that peers can attach, filled
	// with zeros, and where they are: a number to be told to the peers. The memory
	// starts at a multiple of HugePage if n is at least that, else of the page
	// size. It belongs to the caller, is shared with any peer that attaches it, is
	// never moved or collected, and stays until Close. An n of 0 gives an empty
	// slice. The error wraps ErrExhausted if the room is used up, ErrClosed after
	// Close.
	Alloc(n int) (mem []byte, at uint64, err error)

	// Attach returns the n bytes at at of the peer's memory, the same bytes, for
	// reading and writing. at and n lie within one Alloc of the peer or, if
	// Direct, within any memory of it that stays where it is. The peer may be this
	// rank. The slice is valid until Close, also when the peer has closed its
	// module, has ended or was killed: the memory stays until the job ends. An n
	// of 0 gives an empty slice.
	Attach(peer int, at uint64, n int) ([]byte, error)

	// Clear has memory that Alloc returned, all of it, be zeros, and gives its pages back to the system where that
	// can be: it has pages again when it is touched. It stays where it is, attached as it was, and the caller's. Nobody
	// uses it meanwhile.
	Clear(mem []byte, at uint64)

	// Direct tells whether peers can attach any memory of this rank, by its
	// address, and not only what Alloc returned.
	Direct() bool

	// Close ends the use of the module. The caller no longer uses any slice that
	// came from it. Peers go on using this rank's memory. Closing again is no
	// error.
	Close() error
}

// Messages is the part of a module that moves messages. Messages from one rank to
// another arrive in the order in which Send, SendBuffer and Offer returned true. The peer may
// be this rank itself.
type Messages interface {
	// EagerLimit returns the longest payload of Send, in bytes.
	EagerLimit() int

	// Send sends payload, of at most EagerLimit bytes, and returns true when it is on its
	// way; payload is the caller's again at once. For about a microsecond before it
	// returns, the receiver may copy from payload itself (zero-copy attempt). The message
	// then arrives as an offered one: the receiver goes by Frame.Offered alone. Send may also
	// return a Transfer. If a message has come meanwhile, the attempt is pending: see
	// Capabilities.SendZeroCopy. If the receiver has stopped in the middle of the copy, the
	// message is as if offered.
	//
	// False means that nothing was sent, for one of three reasons. The peer's queue is
	// full; the peer has not opened its module yet; or the peer has not released enough of
	// what this rank has sent it (credit). Only in the third case NoCredit is true, and the caller
	// offers the same message: an offer needs no credit, because it takes no memory at the receiver. In the
	// others the caller tries again when Sleep asks.
	//
	// The module reads h before it returns, and sends its own rank and the length
	// instead of h.Source and h.Length. A peer outside the job, or a payload above
	// EagerLimit, is a programming error and panics.
	Send(peer int, h *Header, payload []byte) (Transfer, bool)

	// SendBuffer is Send from a buffer that has a layout. It packs the message into memory
	// of the module, and makes no zero-copy attempt.
	SendBuffer(peer int, h *Header, src Buffer) bool

	// NoCredit tells why the last Send or SendBuffer has returned false: the peer had not released enough.
	// A caller that offered a message for want of room might find room by then. The message would
	// wait for its receiver, which a short one never does while there is credit.
	NoCredit() bool

	// Offer announces a message of any length, 0 included, whose bytes stay in src
	// until the receiver takes them. src, its memory and its layout must not be
	// written to until Progress of the returned Transfer says done. False, with a nil
	// Transfer, means that nothing was announced: the peer's queue is full or not open.
	// Then try again when Sleep asks. The number of offers underway is bounded by memory
	// alone.
	Offer(peer int, h *Header, src *Buffer) (Transfer, bool)

	// Poll hands at most max messages that have arrived to deliver, one after the
	// other, and returns how many it was. deliver may call all methods but Poll,
	// Sleep and Close. It must take every message: there is no putting back.
	Poll(max int, deliver func(*Frame)) int

	// Senders calls f with the source of each message that has come and that Poll has not handed
	// over; with the same source once or more. If a rank had gone before the call, and f is not called
	// with it, nothing more comes from that rank. Poll may be unable to hand these messages over
	// yet, because another rank is in the middle of sending an earlier one. Sleep asks ready again when
	// that rank has sent it, or has gone. f calls no method of the module.
	Senders(f func(rank int))

	// Accept starts taking the bytes of an offered message into dst: the first
	// min(dst.Len(), Length) of them. Either end may have a layout. A nil Transfer says
	// that all of the bytes are there already; otherwise dst belongs to the module until
	// Progress of the Transfer says done. If the module cannot read the bytes, Progress returns the
	// error. Frames may be accepted in any order, and any time after their delivery; until then
	// the sender's Transfer stays open. An empty dst drops the message.
	Accept(f *Frame, dst *Buffer) Transfer

	// Release says that the payload of a frame that was not offered is consumed, and
	// gives memory and credit back to the sender. It is due exactly once for each
	// such frame, inline ones and empty ones too, in any order, within deliver or
	// later. While a frame is unreleased it counts against its sender's credit: so
	// the caller releases an inline frame that it had to copy aside only when the
	// copy is consumed.
	Release(f *Frame)

	// Sleep returns nil as soon as ready returns true. It asks once, and then each
	// time that something has happened to this rank: a message has arrived, one of its transfers can make
	// progress or is over, room that Send or Offer lacked is there, a rank has gone,
	// or Wake was called. In between it sleeps and takes no CPU. It may ask without a
	// reason.
	//
	// ready must not block. It may use the message methods if the caller may; without Poll
	// nothing arrives. It need not do everything at once: Sleep does not sleep as long as a
	// Poll has reached its max, or a Progress has done a part.
	//
	// A rank with several modules sleeps in one of them, which is made for that: any
	// notification of the rank's inbox (job.Root.Inbox) has it ask. In ready the rank polls
	// all modules. The Sleep and Wake of the other modules are not called. These modules notify
	// the rank's inbox where their own Sleep would ask. They also do so after a Progress that
	// has done a part, and for a message that is held back.
	//
	// lasting, if it is not nil, is called once when the sleep turns out to be more
	// than a brief sleep of some milliseconds: time to say elsewhere what this rank waits for.
	Sleep(ready func() bool, lasting func()) error

	// Wake makes every Sleep of this rank ask ready again. A goroutine calls it after a
	// change that ready looks at, made by atomic operations or under a lock that ready takes
	// too. It costs a few nanoseconds if nobody sleeps.
	Wake()

	// Counters returns what has been counted so far.
	Counters() Counters

	// Capabilities returns what the module has besides. It is asked before the first message, and may allocate.
	Capabilities() Capabilities
}
