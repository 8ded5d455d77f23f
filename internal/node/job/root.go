package job

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/shm"
)

// Root gives access to the root block of a job. All its methods may be called at
// any time from any thread of any process of the job, unless a comment names the
// callers. A rank argument is a number from 0 to Ranks()-1; what a method does with
// any other is in its comment: where there is an error to return it is a
// *RankError, else the zero value is returned and nothing is written.
type Root struct {
	head  *header
	ranks []rankBlock

	settings Settings // as Settings returns them
	looks    int      // of a wait, without regard to the number of CPUs
	here     int      // ranks on this node when this process joined
	traces   []byte   // of the first world's ranks, one after the other; nil: there are none
	desk     *desk    // nil: there is none
	names    *Names   // of a job of one rank that no supervisor has started; else nil

	endMu  sync.Mutex              // MarkGone, of the supervisor
	waitMu sync.Mutex              // one writer of the rank's own waiting record, and of freed, at a time
	freed  int                     // communicators that the rank has freed
	calls  func() (string, uint64) // see NameCalls
}

func (r *Root) rank(i int) (*rankBlock, error) {
	if i < 0 || i >= len(r.ranks) {
		return nil, &fault.RankError{Rank: i, Size: len(r.ranks)}
	}
	return &r.ranks[i], nil
}

// block is the block of a rank. A number that is no rank's has one of zeros, for itself alone.
func (r *Root) block(rank int) *rankBlock {
	if uint(rank) < uint(len(r.ranks)) {
		return &r.ranks[rank]
	}
	return noBlock()
}

// noBlock is what a rank that does not exist reads and writes. A block made in the caller would lie on its stack.
//
//go:noinline
func noBlock() *rankBlock { return new(rankBlock) }

// Ranks returns the number of ranks of the job. It grows: see AddWorld.
func (r *Root) Ranks() int { return int(r.head.ranks + r.head.late.Load()) }

// Places returns how many ranks the job has room for. Tables by rank that are made once have so many entries.
func (r *Root) Places() int { return len(r.ranks) }

// BTL returns how the ranks share memory.
func (r *Root) BTL() BTL { return BTL(r.head.btl) }

// CPUs returns the number of CPUs that the job may use.
func (r *Root) CPUs() int { return int(r.head.cpus) }

// AllCPUs returns the number of CPUs that the job may use on all nodes.
func (r *Root) AllCPUs() int { return int(r.head.all) }

// TraceBuffer returns the memory in which a rank records its calls, zeros at first, and nil
// if the job is not traced. Package internal/msg/recorder describes its content.
func (r *Root) TraceBuffer(rank int) []byte {
	if r.traces == nil || rank < 0 || rank >= len(r.traces)/int(r.head.traceSize) {
		return nil
	}
	size := int(r.head.traceSize)
	return r.traces[rank*size : (rank+1)*size : (rank+1)*size]
}

// PageSize returns the size of a page in bytes, as the creator saw it.
func (r *Root) PageSize() int { return int(r.head.pageSize) }

// HugePages returns the huge pages that ranks use.
func (r *Root) HugePages() HugePages {
	for _, p := range []HugePages{TransparentPages, ReservedPages} {
		if r.head.flags&p.flag() != 0 {
			return p
		}
	}
	return ""
}

// UseHugePages has the whole huge pages in a range of private memory be huge ones, if the user wants that. The caller
// knows that nobody has touched the memory. Where there are none the memory stays as it is. That reserved ones are too
// few is said once in a job.
func (r *Root) UseHugePages(at, length uintptr) {
	first, last := uintptr(roundUp(uint64(at), hugePage)), (at+length)&^(hugePage-1)
	kind := r.HugePages()
	if kind == "" || first >= last {
		return
	}
	if kind == ReservedPages {
		err := sys.MapReserved(first, last-first)
		if err == nil {
			return
		}
		if r.head.withoutPages.Swap(1) == 0 {
			fmt.Fprintf(os.Stderr, "warning: --huge-pages reserved: %v: such blocks have other pages; root reserves N "+
				"of them by sysctl vm.nr_hugepages=N\n", err)
		}
	}
	_ = sys.Madvise(first, last-first, sys.MadvHugePage) // an error: the kernel has none
}

// Holding tells whether the hold points hold.
func (r *Root) Holding() bool { return r.head.flags&flagHold != 0 }

// Spin returns how many times a wait should look before it sleeps: 0 when there
// are more ranks than CPUs, because then the one waited for may need this CPU.
func (r *Root) Spin() int { return r.settings.Spin }

// WaitPolicy is by what the ranks of this node wait.
func (r *Root) WaitPolicy() shm.Policy {
	return shm.Policy{Spins: r.looks, Ranks: r.here, CPUs: r.CPUs(), Round: round(r.here, r.CPUs())}
}

// Oversubscribed tells whether this node had more ranks than CPUs when the job began.
func (r *Root) Oversubscribed() bool { return r.Near() > r.CPUs() }

// AllOversubscribed tells whether the ranks of all nodes were more than all their CPUs. The answers are the same on all
// ranks, at all times.
func (r *Root) AllOversubscribed() bool { return int(r.head.ranks) > r.AllCPUs() }

// SoloLimit returns how many bytes of a collective operation in one address space the last rank
// to arrive moves alone.
func (r *Root) SoloLimit() int {
	if r.settings.Spin == 0 {
		return r.settings.SoloSleeping
	}
	return r.settings.SoloSpinning
}

// SegmentOffset returns where in the memfd the segment of a rank starts, in
// bytes; a multiple of 2 MiB. Only jobs with BTLSM have segments.
func (r *Root) SegmentOffset(rank int) int64 {
	return int64(r.head.segmentBase + uint64(rank)*r.head.segmentStride)
}

// SegmentStride returns the bytes for each rank's segment, 0 if the job
// has no segments. They are an extent of a sparse file, which costs nothing.
func (r *Root) SegmentStride() int64 { return int64(r.head.segmentStride) }

// A Task is what the maker of a rank's memory knows of it, in addresses and bytes.
type Task struct {
	Partition, Size uint64
	// Arena is where the arena begins, which is the rest of the partition. It is reserved memory (PROT_NONE), of which
	// the rank makes as much accessible as it needs.
	Arena uint64
	// Small is accessible memory for the first small things that the rank shares, which costs no page table of its own.
	Small, SmallSize uint64
	ExitHooks        uint64 // pvas.Layout.ExitHooks
}

// SetTask is called once, before the rank starts.
func (r *Root) SetTask(rank int, t Task) {
	b := r.block(rank)
	b.partition.Store(t.Partition)
	b.partitionSize.Store(t.Size)
	b.arena.Store(t.Arena)
	b.small.Store(t.Small)
	b.smallSize.Store(t.SmallSize)
	b.exitHooks.Store(t.ExitHooks)
}

// Arena returns the bounds of a rank's arena; size 0 if there is none.
func (r *Root) Arena(rank int) (base, size uint64) {
	b := r.block(rank)
	base = b.arena.Load()
	return base, b.partition.Load() + b.partitionSize.Load() - base
}

// ExitHooks returns that of a rank, 0: it is not known.
func (r *Root) ExitHooks(rank int) uint64 { return r.block(rank).exitHooks.Load() }

// SmallRegionSize returns how many bytes the small region of each rank should have: enough for a
// mailbox, and of the first rank for the board of all ranks' collectives.
func SmallRegionSize(ranks int) uint64 { return uint64(min(80<<10+ranks*256, 1<<20)) }

// SmallRegion returns the bounds of a rank's small region; size 0 if there is none.
func (r *Root) SmallRegion(rank int) (at, size uint64) {
	b := r.block(rank)
	return b.small.Load(), b.smallSize.Load()
}

// Partition returns the bounds of a rank's partition; size 0 if it has none, as
// in a job whose ranks do not share an address space.
func (r *Root) Partition(rank int) (base, size uint64) {
	b := r.block(rank)
	return b.partition.Load(), b.partitionSize.Load()
}

// apart is set in the pid of a rank that is in another PID namespace than the supervisor, such as that of a container.
// The pid is then of no use to others: their kernel knows another process by it, perhaps their own.
const apart = 1 << 31

// Claim makes the calling process the given rank. The error wraps ErrClaimed if
// another process is it already. That happens when a rank starts a copy of itself
// before mpi.Init has taken PVAS_JOB out of the environment.
func (r *Root) Claim(rank, pid int) error {
	b, err := r.rank(rank)
	if err != nil {
		return fmt.Errorf("job: claim rank: %w", err)
	}
	if pid <= 0 {
		return fmt.Errorf("job: claim rank %d: %d is no process id", rank, pid)
	}
	word := uint32(pid)
	if sys.PIDSpace() != r.head.pidSpace {
		word |= apart
	}
	if !b.pid.CompareAndSwap(0, word) && b.pid.Load() != word {
		return fmt.Errorf("job: claim rank %d for process %d: %w (process %d)",
			rank, pid, ErrClaimed, b.pid.Load()&^apart)
	}
	return nil
}

// Pid returns the process that has claimed the rank, in the PID namespace of the supervisor. It is 0 if none has, or
// one of another namespace.
func (r *Root) Pid(rank int) int {
	if pid := r.block(rank).pid.Load(); pid < apart {
		return int(pid)
	}
	return 0
}

// Knows tells whether Pid of another rank names its process in the PID namespace of a rank.
func Knows(r *Root, rank, other int) bool {
	return r.block(rank).pid.Load() < apart && r.Pid(other) != 0
}

// State returns how far the rank has come, as it said itself: a rank that was
// killed keeps its last state.
func (r *Root) State(rank int) State {
	return State(r.block(rank).state.Load())
}

// SetState is called by the rank itself.
func (r *Root) SetState(rank int, s State) {
	r.block(rank).state.Store(uint32(s))
}

// StateWord is where SetState writes, for the handler of a fatal signal, which may not run Go.
func (r *Root) StateWord(rank int) *atomic.Uint32 { return &r.block(rank).state }

// Neighbours returns the ranks that share the address space of a rank: first to last-1. base is where the partition of
// the first one begins, and those of the others follow. size is that of each partition; 0: there are none.
func (r *Root) Neighbours(rank int) (base, size uint64, first, last int) {
	first, last = rank, rank+1
	for first > 0 && r.Node(first-1) == r.Node(rank) {
		first--
	}
	for last < r.Ranks() && r.Node(last) == r.Node(rank) {
		last++
	}
	base, size = r.Partition(rank)
	return base - uint64(rank-first)*size, size, first, last
}

// NoteWorldCalls is called by the rank itself when it ends its part in the job: how many collective
// operations it has begun on the communicator of all ranks.
func (r *Root) NoteWorldCalls(rank int, n uint64) {
	r.block(rank).world.Store(uint32(n) + 1)
}

// WorldCalls returns what NoteWorldCalls has noted, in 32 bits; known is false if nothing was.
func (r *Root) WorldCalls(rank int) (n uint32, known bool) {
	n = r.block(rank).world.Load()
	return n - 1, n != 0
}

// PublishWindow notes where a window's memory of the calling rank lies, for the report of page
// tables (SharedBytes). Slots are numbered from 0 to MaxWindows-1. A peer may read it after a
// synchronisation that both have passed.
func (r *Root) PublishWindow(rank, slot int, at, length uint64) error {
	b, err := r.rank(rank)
	if err != nil {
		return fmt.Errorf("job: publish window %d: %w", slot, err)
	}
	if slot < 0 || slot >= MaxWindows {
		return fmt.Errorf("job: publish window %d: a job has at most %d windows", slot, MaxWindows)
	}
	b.windows[slot].at.Store(at)
	b.windows[slot].length.Store(length)
	return nil
}

// Window returns the window that the rank has published in the slot, zeros if none.
func (r *Root) Window(rank, slot int) (at, length uint64) {
	if uint(slot) >= MaxWindows {
		return 0, 0
	}
	w := &r.block(rank).windows[slot]
	return w.at.Load(), w.length.Load()
}

// SharedBytes is the size of all windows of the rank that has published most.
func (r *Root) SharedBytes() (most uint64) {
	for i := range r.Ranks() {
		var sum uint64
		for slot := range r.ranks[i].windows {
			sum += r.ranks[i].windows[slot].length.Load()
		}
		most = max(most, sum)
	}
	return most
}
