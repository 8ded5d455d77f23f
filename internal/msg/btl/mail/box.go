package mail

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/shm"
)

var _ btl.Messages = (*Box)(nil)

// Box is the messages of one rank. Sleep and Wake may be called from any goroutine,
// its other methods by one at a time: see btl.Module.
type Box struct {
	mem   btl.Memory
	root  *job.Root
	rank  int
	inbox *shm.Event
	waits *shm.Waiter // see SetWaiter
	geometry

	own      []byte // this rank's mailbox
	at       uint64 // where it lies
	in       *shm.Consumer
	frame    btl.Frame
	short    btl.Buffer // of TakeShort
	peers    []*peer    // by rank; nil before first contact
	counters btl.Counters

	sending    []*[descriptors]sendTransfer // one for each descriptor, by chunk
	chunks     []uint64                     // where the chunks lie
	unused     []uint32                     // numbers of free transfers, as a stack
	fallenBack []uint32                     // those of fallbacks to buffers that are not over
	copies     copies
	receives   *recvTransfer  // free list
	singleCopy job.SingleCopy // what the user wants
	sharing    sharing        // of transfers that both ends copy
	piped      int            // job.Thresholds.PipelineFrom
	trials     trials         // between processes: how long messages are received
	zeroCopy   bool           // Send makes zero-copy attempts
	patience   int            // looks until overtake; 0: no offers are staged
	answering  bool           // a message has come since the last attempt
	met        bool           // first contact was made: the ring has its pages
	noCredit   bool           // why the last Send was refused

	staging   []byte // lanes; nil before first use
	stagingAt uint64
	freeLane  uint64 // set of free lanes

	rest   []byte // of a piece for short rows of eager buffers
	restAt uint64

	sleeps atomic.Uint64
	wakes  atomic.Uint64
	more   atomic.Bool           // see again
	failed atomic.Pointer[error] // the first error that no method could return
}

// peer is what the Box knows about a rank that it has met.
type peer struct {
	rank  int
	inbox *shm.Event
	box   []byte // the peer's mailbox

	// Sending to it.
	out     *shm.Producer
	account shm.Account
	pair    *shm.Pair // in this rank's mailbox
	buffers eagerBuffers
	piped   bool // it has received the last long message by the pipeline

	// Receiving from it.
	returns      shm.Returns
	theirPair    *shm.Pair    // in the peer's mailbox
	theirBuffers eagerBuffers // attached
	theirChunks  [][]byte     // of descriptors
	theirStaging []byte
	blocks       uint // that were drained

	skip     int    // sends before the next zero-copy attempt
	failures uint32 // of attempts; those that began before the last one do not count
	backoff  int    // and how many these were last time
}

// Open makes a rank's mailbox and opens it to its peers. The memory stays open
// until the last message method has returned.
func Open(mem btl.Memory, root *job.Root, rank int) (*Box, error) {
	b := &Box{
		mem: mem, root: root, rank: rank, inbox: root.Inbox(rank), geometry: layout(root),
		peers: make([]*peer, root.Places()), freeLane: 1<<lanes - 1, answering: true,
		sharing: shares(root, rank),
	}
	b.waits = shm.NewWaiter(root.WaitPolicy())
	b.zeroCopy = mem.Direct() && root.Spin() > 0
	if b.zeroCopy {
		b.patience = min(stagedPatience, root.Spin()/2)
	}
	s := root.Settings()
	b.singleCopy, b.piped = s.SingleCopy, s.PipelineFrom
	own, at, err := mem.Alloc(b.size)
	if err != nil {
		return nil, fmt.Errorf("mailbox of rank %d: %w", rank, err)
	}
	b.own = own
	if b.in, err = shm.NewConsumer(own, ringSlots); err != nil {
		return nil, fmt.Errorf("mailbox of rank %d: %w", rank, err)
	}
	b.at = at
	root.OpenMailbox(rank, at)
	return b, nil
}

// Capabilities implements btl.Messages.
func (b *Box) Capabilities() btl.Capabilities {
	return btl.Capabilities{Memory: b.mem, Short: b, SendZeroCopy: b.SendZeroCopy, SetWaiter: b.SetWaiter,
		More: b.More}
}

// EagerLimit implements btl.Messages.
func (b *Box) EagerLimit() int { return b.eagerLimit }

// meet makes first contact. It returns nil if the peer has not opened its mailbox
// yet, or if it cannot be attached.
//
// The first contact makes the pages of the ring. If a sender and the looking receiver touched a new one
// at the same time, one would sleep until the other has it: 22 us for each 32 messages of the first lap.
func (b *Box) meet(rank int) *peer {
	at, ok := b.root.Mailbox(b.rank, rank)
	if !ok {
		return nil
	}
	box, err := b.mem.Attach(rank, at, b.size)
	if err != nil {
		b.fail(err)
		return nil
	}
	out, err := shm.NewProducer(box, ringSlots, b.rank)
	if err != nil {
		b.fail(err)
		return nil
	}
	p := &peer{rank: rank, inbox: b.root.Inbox(rank), box: box, out: out}
	p.pair = shm.PairAt(b.own[b.pairs+rank*shm.PairSize:])
	p.account = shm.NewAccount(p.pair, creditLimit, b.buffers)
	p.theirPair = shm.PairAt(box[b.pairs+b.rank*shm.PairSize:])
	p.returns = shm.NewReturns(p.theirPair, creditLimit, b.buffers)
	p.theirChunks = append(p.theirChunks, box[b.firstChunk:b.firstChunk+chunkBytes])
	if rank == b.rank {
		p.skip = math.MaxInt // nobody comes while this rank is sending
	}
	works, known := b.root.CMA()
	p.piped = !b.mem.Direct() && (b.singleCopy == job.SingleCopyNone || known && !works)
	if !b.met {
		b.met = true
		sys.Populate(sys.AddrOf(b.own), shm.RingSize(ringSlots))
	}
	b.peers[rank] = p
	return p
}

// fail notes an error that Sleep will return: the memory of a peer cannot be
// attached, so messages from or to it cannot move.
func (b *Box) fail(err error) {
	err = fmt.Errorf("messages of rank %d: %w", b.rank, err)
	b.failed.CompareAndSwap(nil, &err)
}

// Sleep implements btl.Messages. The error is of the module itself.
func (b *Box) Sleep(ready func() bool, lasting func()) error {
	if ready() {
		return nil
	}
	b.sleeps.Add(1)
	done := false
	err := b.waits.Sleep(b.inbox, func() bool {
		for {
			if done = ready(); done || b.failed.Load() != nil {
				return true
			}
			if !b.More() {
				return false
			}
		}
	}, lasting)
	if failure := b.failed.Load(); err == nil && !done && failure != nil {
		err = *failure
	}
	return err
}

// SetWaiter is that of btl.Capabilities.
func (b *Box) SetWaiter(w *shm.Waiter) { b.waits = w }

// again is askAgain where a method has done a part of what there was to do: the look was not in vain.
func (b *Box) again() {
	b.waits.Worked()
	b.askAgain()
}

// askAgain makes Sleep ask once more before it sleeps: there is more to do, and nobody will notify this rank of it.
func (b *Box) askAgain() {
	if !b.more.Load() {
		b.more.Store(true)
	}
}

// More is that of btl.Capabilities.
func (b *Box) More() bool { return b.more.Load() && b.more.Swap(false) }

// Wake implements btl.Messages.
func (b *Box) Wake() { b.notify(b.inbox) }

// notify notifies a rank, or this one.
func (b *Box) notify(e *shm.Event) {
	if e.Notify() {
		b.wakes.Add(1)
	}
}

// Counters implements btl.Messages.
func (b *Box) Counters() btl.Counters {
	b.counters.Sleeps, b.counters.Wakes = b.sleeps.Load(), b.wakes.Load()
	return b.counters
}
