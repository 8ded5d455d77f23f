package job

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// The root block: one header, then one rankBlock per rank. All of it starts as
// zeros. Every word has one kind of writer, and words of different writers lie in
// different cache lines. So a rank that spins on one word does not disturb the
// writers of another. Words that are written while others may read them are of an
// atomic type; Go's atomic operations are sequentially consistent, and "publish"
// below means an atomic store after everything it announces.
//
// Anything here is reached by several programs at once, some of which may be
// built from another version of this source. After a change raise LayoutVersion,
// and bring TestLayout and the comments into line.

const (
	layoutMagic   = 0x6a_73_61_76_70_6f_67_01 // in memory: 01 "gopvasj"
	LayoutVersion = 46

	cacheLine = 64

	// MaxRanks bounds the size of a job, so that a damaged count cannot make a
	// process map or walk an absurd amount of memory.
	MaxRanks = 1 << 16

	// MaxWindows is the number of windows each rank can publish. A program may make more:
	// those the report of page tables does not count.
	MaxWindows = 32

	// MaxDevices is the number of network devices that a rank uses at most.
	MaxDevices = 8
)

// Bits of header.flags.
const (
	flagTransparentPages = 1 << iota
	flagHold
	flagDesk // there is a desk, behind the rank blocks
	flagReservedPages
)

// constants is written by the creator before anybody else knows the memory, and never
// changed. It fills whole cache lines.
type constants struct {
	magic         uint64
	version       uint32
	headerSize    uint32 // bytes of this struct
	rankSize      uint32 // bytes of a rankBlock
	windows       uint32 // MaxWindows
	ranks         uint32 // of the first world
	btl           uint32
	cpus          uint32
	flags         uint32
	pageSize      uint32
	traceSize     uint32 // bytes of each rank's trace buffer, behind the root block; 0: none
	segmentBase   uint64 // offset in the memfd of rank 0's segment; sm only
	segmentStride uint64 // from one segment to the next, bytes; 0: no segments

	nodes uint32 // that the job has
	node  uint32 // this one's number
	near  uint32 // ranks on this node
	all   uint32 // CPUs of all nodes
	key   Key    // of the messages between nodes
	// The addresses of the node's devices, the first one its host; zeros: none.
	devices [MaxDevices][16]byte

	places   uint32 // rank blocks, at least ranks
	universe uint32 // see Root.Universe
	id       uint64 // of the job: others of this machine have another one

	settings settingsRecord
}

// header is the start of the root block.
type header struct {
	constants

	// Written by the supervisor in MarkGone. goneCount is published last: a
	// reader that finds it 0 need not look at any rank's own flag.
	firstLost atomic.Uint32 // rank that Lost returns, plus one; 0: none
	goneCount atomic.Uint32

	// Written by the supervisor: the ranks that have been added to the first world. Published after their blocks.
	late atomic.Uint32

	// Written by the supervisor, once: its pid, if it answers at the desk.
	attendant atomic.Uint32

	// Written by the supervisor: see visitorBlock. visitors is published after their blocks.
	number   atomic.Uint32
	visitors atomic.Uint32

	// Of a job that survives: it grows with goneCount, and when a communicator is revoked. See Revoke.
	events atomic.Uint32

	// Written as the constants are: the PID namespace of the supervisor. See Claim.
	pidSpace uint32
	_        [cacheLine - 32]byte

	holds [holdCount]holdBlock

	// Written by ranks, a few times in the life of a job.
	early atomic.Uint32 // ranks that have looked for a mailbox before it was open
	cma   atomic.Uint32 // a verdict on process_vm_readv: see NoteCMA

	withoutPages atomic.Uint32 // 0, then 1 for ever: reserved pages have run out
	_            [cacheLine - 12]byte

	work Work

	// Written with each address: by a rank for its own, by the supervisor for those of ranks
	// on other nodes. Notes is published last.
	addressNotes atomic.Uint32
	addressEvent shm.Event // the supervisor sleeps here

	// Written by the supervisor: the number of its last look, 0 before the first. See Look.
	look atomic.Uint32

	// Likewise: the number of its last report. See Polls.
	report atomic.Uint32
	_      [cacheLine - 20]byte

	// Written by ranks: see Revoke.
	revoked [revocations]atomic.Uint64
}

// holdBlock is one hold point.
type holdBlock struct {
	// Written by ranks: each adds one when it gets here, then signals.
	reached      atomic.Uint32
	reachedEvent shm.Event // the supervisor sleeps here
	_            [cacheLine - 12]byte

	// Written by the supervisor: 0, then 1 for ever; then it signals.
	released      atomic.Uint32
	releasedEvent shm.Event // the ranks sleep here (and count themselves as sleepers)
	_             [cacheLine - 12]byte
}

// rankBlock is the state of one rank that the job sees.
type rankBlock struct {
	// Written by the rank.
	pid     atomic.Uint32 // 0 until Claim; with apart
	state   atomic.Uint32 // a State
	mailbox atomic.Uint64 // where the rank's mailbox lies, plus one; 0: not open
	early   atomic.Uint64 // whose mailboxes it has looked for too early: see earlyBit
	graphs  atomic.Uint64 // address of the graphs that others may advance for the rank, 0: none
	answer  atomic.Uint64 // to the supervisor's last look: see Look
	links   atomic.Uint32 // communicators of the rank that have ranks of other worlds: see AddLink
	ends    atomic.Uint32 // mayReceive, ending, draining: see EndReceives
	world   atomic.Uint32 // collective calls on the world, plus one; 0: not known. See NoteWorldCalls
	heard   atomic.Uint32 // revocations that the rank has read: see Revoked

	agreements atomic.Uint64 // where its words for agreements begin, plus one; 0: it has none

	// Written by the rank, all the time while it does the work of others.
	share Share

	// Written from outside: the geometry by the space host before the rank
	// starts; pidOver by the supervisor before it reaps the rank (0, then 1), and gone after that (the number of its
	// end).
	partition     atomic.Uint64
	partitionSize atomic.Uint64
	arena         atomic.Uint64
	exitHooks     atomic.Uint64
	small         atomic.Uint64
	smallSize     atomic.Uint64
	gone          atomic.Uint32
	program       atomic.Uint32 // ranks with the same number run the same file; 0: unknown
	pidOver       atomic.Uint32 // see PidOver
	domain        atomic.Uint32 // see Domain; by the supervisor, before the rank starts

	// Written by the rank, each slot once, before a synchronisation after which peers
	// read it.
	windows [MaxWindows]windowSlot

	// Written by the rank: its wait; see waitingBlock.
	waiting waitingBlock

	// Likewise, for the report of a hang.
	polls pollsBlock

	// Written by the rank: what it has sent to other nodes; see FarSends.
	underWay   atomic.Int64
	unanswered atomic.Uint64

	// Written by the rank, and by another one: see freedContexts.
	freed freedContexts

	// The rank sleeps here. It writes sleepers, the waker writes seq; as long as
	// it does not sleep, both are only read.
	inbox shm.Event
	_     [cacheLine - 8]byte

	// Written by the rank: see PublishCounters.
	counters [CounterSlots]atomic.Uint64

	// Written by the rank: see CountCall.
	calls [CallSlots]atomic.Uint64

	// Where messages from other nodes reach the rank; see Root.SetAddresses. And its world.
	address addressBlock

	// Written by the rank: its use of each device. See PublishDevice.
	devices [MaxDevices]deviceBlock

	// Written by the supervisor, of a visitor.
	visitor visitorBlock

	// Written by the rank, for those that outlive it.
	kept  atomic.Uint64 // where its directory of blocks begins, plus one; 0: it has none. See SetKept
	heap  atomic.Uint64 // an address in the heap of its Go runtime; 0: not known
	letGo atomic.Uint32 // see LetGo; the first value is the supervisor's
	_     [cacheLine - 20]byte
}

// windowSlot says where a window's memory of one rank lies: an address or an
// offset, as the BTL has it, and a length in bytes.
type windowSlot struct {
	at     atomic.Uint64
	length atomic.Uint64
}
