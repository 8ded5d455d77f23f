package job

import "sync/atomic"

// MarkGone notes that a rank is no more, and wakes all waiters. Only the
// supervisor calls it, when it has reaped the rank, so that the rank is certain
// not to execute another instruction: its words are final. Further
// calls for the same rank do nothing.
func (r *Root) MarkGone(rank int) {
	r.endMu.Lock()
	defer r.endMu.Unlock()
	b, err := r.rank(rank)
	if err != nil || !b.gone.CompareAndSwap(0, r.head.goneCount.Load()+1) {
		return
	}
	if first, ok := r.Lost(); r.Visits(rank) {
		// Nobody here has ended because of it.
	} else if !ok || r.State(first) == StateFinal && r.State(rank) != StateFinal {
		r.head.firstLost.Store(uint32(rank) + 1)
	}
	r.head.goneCount.Add(1)
	r.head.events.Add(1)
	for i := range r.head.holds {
		r.head.holds[i].reachedEvent.Signal()
		r.head.holds[i].releasedEvent.Signal()
	}
	for i := range r.Ranks() {
		r.ranks[i].inbox.Notify()
	}
	r.freeDesk()
}

// End returns the number of a rank's end, from 1 on in the order of MarkGone; 0: it has not gone. GoneCount is the
// number of the last one.
func End(r *Root, rank int) uint32 {
	if r.head.goneCount.Load() == 0 {
		return 0
	}
	return r.block(rank).gone.Load()
}

// Ends returns a word that changes with each MarkGone, in a job that survives. In others it never does. It is for
// callers that look often.
func Ends(r *Root) *atomic.Uint32 {
	if Survives(r) {
		return &r.head.goneCount
	}
	return &noEnds
}

var noEnds atomic.Uint32

// SetKept says where a rank's directory of the blocks that it keeps begins, as others attach that memory. Only the rank
// itself calls it, once. Kept returns it; ok is false if there is none.
func SetKept(r *Root, rank int, at uint64) { r.block(rank).kept.Store(at + 1) }

// Kept is described with SetKept.
func Kept(r *Root, rank int) (at uint64, ok bool) {
	at = r.block(rank).kept.Load()
	return at - 1, at != 0
}

// # The private memory of the dead
//
// In one address space the heap, the stacks and the program of a rank stay mapped when it has ended. There may lie a
// message that it was sending, a buffer of a collective operation, or a window that it has created. The ends of ranks
// are numbered (End). By its word letGo a rank says that it reads no such memory of the ranks that ended up to that
// number, now or later. What all ranks that still run have let go, the space host may give back. It then reads as
// zeros.
//
//   - Only the rank raises its word, and none falls. So what holds at one look holds ever after for the ranks of that
//     look: those that end later do nothing more.
//   - A rank that is added begins with GoneCount. Those with an end by then were reaped: they cannot have sent it
//     anything. And as no word is higher than GoneCount, no later rank makes untrue what was found before.
//   - A rank that has called Finalize reads nothing any more, whatever its word.

// LetGo is called by the rank itself: see above.
func LetGo(r *Root, rank int, end uint32) {
	word := &r.block(rank).letGo
	for old := word.Load(); old < end && !word.CompareAndSwap(old, end); old = word.Load() {
	}
}

// HasLetGo returns what LetGo has said last.
func HasLetGo(r *Root, rank int) uint32 { return r.block(rank).letGo.Load() }

// AllLetGo returns up to which end no rank reads the private memory of the dead.
func AllLetGo(r *Root) uint32 {
	end := r.head.goneCount.Load() // before the look at Ranks: a rank that is added later begins with as much
	for rank := range r.Ranks() {
		if !r.Gone(rank) && r.State(rank) != StateFinal {
			end = min(end, HasLetGo(r, rank))
		}
	}
	return end
}

// SetHeap notes an address in the heap of the rank's Go runtime. Only the rank itself calls it. Heap returns it; 0: it
// is not known.
func SetHeap(r *Root, rank int, at uint64) { r.block(rank).heap.Store(at) }

// Heap is described with SetHeap.
func Heap(r *Root, rank int) uint64 { return r.block(rank).heap.Load() }

// The bits of a rank's word for agreements, beside the place of its memory, which is a multiple of four.
const (
	agreementsThere = 1 << iota
	agreementsLeft
)

// SetAgreements says where a rank's words for agreements begin, as others attach that memory. Only the rank itself
// calls it, before LeaveAgreements. Agreements returns it; ok is false if there are none.
func SetAgreements(r *Root, rank int, at uint64) {
	r.block(rank).agreements.Store(at | agreementsThere)
}

// Agreements is described with SetAgreements.
func Agreements(r *Root, rank int) (at uint64, ok bool) {
	at = r.block(rank).agreements.Load()
	return at &^ (agreementsThere | agreementsLeft), at&agreementsThere != 0
}

// LeaveAgreements says that a rank, though it lives, writes its words for agreements no more. Only the rank itself
// calls it. All ranks look again at what they wait for.
func LeaveAgreements(r *Root, rank int) {
	word := &r.block(rank).agreements
	word.Store(word.Load() | agreementsLeft)
	for i := range r.Ranks() {
		r.ranks[i].inbox.Notify()
	}
}

// LeftAgreements is described with LeaveAgreements.
func LeftAgreements(r *Root, rank int) bool {
	return r.block(rank).agreements.Load()&agreementsLeft != 0
}

// Reaping notes that a child of the supervisor has ended and is about to be reaped. From then on PidOver of its
// rank is true. Only the supervisor calls it.
//
// A pid is free only after its process was reaped, and PidOver is true before that. So if a peer first uses the pid
// of a rank, and PidOver is false afterwards, then the pid was the rank's.
//
// The rank is found by the pid in its Claim: the supervisor may not know the pid yet. A process that a rank has
// started, and that has claimed the rank in its place, is reaped by its parent, and PidOver stays false.
func (r *Root) Reaping(pid int) {
	for i := range r.Ranks() {
		if b := &r.ranks[i]; b.pid.Load() == uint32(pid) {
			b.pidOver.Store(1)
		}
	}
}

// PidOver tells whether Pid may name another process by now. Then the rank has ended, and Gone is true or
// will be soon.
func (r *Root) PidOver(rank int) bool { return r.block(rank).pidOver.Load() != 0 }

// Lost returns the rank that has gone first without Finalize, or if there is none the first that has gone. Others may
// have gone only because of it. ok is false if all are there.
func (r *Root) Lost() (rank int, ok bool) {
	first := r.head.firstLost.Load()
	return int(first) - 1, first != 0
}

// Failed tells whether a rank has failed: it has gone without Finalize. What it said last is final, see MarkGone.
func Failed(r *Root, rank int) bool { return r.Gone(rank) && r.State(rank) != StateFinal }

// Survives tells whether the job goes on without ranks that have failed.
func Survives(r *Root) bool { return r.settings.Survive }

// # Revocations
//
// In a job that survives any member may revoke a communicator, and all members are to hear of it, also if that member
// dies in the middle. The revocations of a job have numbers from 0 on. That of number n stands in slot n modulo
// revocations, with the tag n + 1.
//
//   - R1: the member finds the first slot whose tag is not that of its number, and swaps its own revocation in.
//   - R2: it raises events.
//   - R3: it notifies the members.
//
// From R1 on the revocation holds, for no other member takes the slot before all ranks that live have read it. A rank
// that sees events grow reads the slots from its own number on, as far as their tags are right. If the member dies
// after R1, MarkGone does R2 and R3 in its stead.

const (
	revocations = 512 // that a living rank may have not read yet

	revokedIDBits, revokedSerialBits = 29, 19 // and 16 of the tag
)

// Revocation is a communicator that was revoked: its id, and what tells it from others with the id.
type Revocation struct{ ID, Serial uint32 }

// Is tells whether it is that of a communicator.
func (v Revocation) Is(id, serial uint32) bool {
	return v.ID == id && v.Serial == serial&(1<<revokedSerialBits-1)
}

func (v Revocation) word(n uint32) uint64 {
	return uint64(uint16(n+1))<<(revokedIDBits+revokedSerialBits) |
		uint64(v.Serial&(1<<revokedSerialBits-1))<<revokedIDBits | uint64(v.ID)
}

// Revoke has all ranks hear of a revocation, as Revoked tells. The caller notifies the members. ok is false if a rank
// that lives has read none for too long; then nothing has happened.
func Revoke(r *Root, v Revocation) (ok bool) {
	for n := heardLeast(r); ; n++ {
		slot := &r.head.revoked[n%revocations]
		for old := slot.Load(); ahead(old, n) < 0; old = slot.Load() {
			if n-heardLeast(r) >= revocations {
				return false
			}
			if slot.CompareAndSwap(old, v.word(n)) {
				r.head.events.Add(1)
				return true
			}
		}
	}
}

// Again has a rank read revocations once more, as if there was another one. Other ranks may, too.
func Again(r *Root, rank int) {
	r.head.events.Add(1)
	r.Inbox(rank).Notify()
}

// heardLeast is how many revocations all ranks have read that take part.
func heardLeast(r *Root) uint32 {
	least, some := uint32(0), false
	for i := range r.Ranks() {
		if b := &r.ranks[i]; reads(r, i) && (!some || int32(b.heard.Load()-least) < 0) {
			least, some = b.heard.Load(), true
		}
	}
	return least
}

// reads tells whether a rank reads revocations: it lives, and is between Init and Finalize.
func reads(r *Root, rank int) bool { return !r.Gone(rank) && r.State(rank) == StateInit }

// ahead is by how much the number of what stands in a slot is higher than n. It is negative if revocation n is not
// there yet, and positive if it is no more.
func ahead(word uint64, n uint32) int {
	if word == 0 {
		return -revocations
	}
	return int(int16(uint16(word>>(revokedIDBits+revokedSerialBits)) - uint16(n+1)))
}

// Revoked returns the next revocation that the rank has not read, if there is one. Only the rank itself calls it, one
// goroutine at a time.
func Revoked(r *Root, rank int) (v Revocation, ok bool) {
	heard := &r.block(rank).heard
	for {
		n := heard.Load()
		word := r.head.revoked[n%revocations].Load()
		switch by := ahead(word, n); {
		case by < 0:
			return v, false
		case by > 0: // the rank took no part for long, and is in none of those that it has missed
			heard.Store(n + uint32(by) - revocations + 1)
		default:
			v = revocationOf(word)
			heard.Store(n + 1) // from here on the slot may be taken
			return v, true
		}
	}
}

func revocationOf(word uint64) Revocation {
	return Revocation{ID: uint32(word & (1<<revokedIDBits - 1)),
		Serial: uint32(word >> revokedIDBits & (1<<revokedSerialBits - 1))}
}

// IsRevoked tells whether a communicator was revoked, as far as that stands in a slot: for one that a rank makes after
// it has read its revocation.
func IsRevoked(r *Root, id, serial uint32) bool {
	for i := range r.head.revoked {
		if word := r.head.revoked[i].Load(); word != 0 && revocationOf(word).Is(id, serial) {
			return true
		}
	}
	return false
}

// Revocable is whether a communicator was revoked, as one process sees it. That of a nil one never is.
type Revocable struct {
	root       *Root // nil: it has no id yet, or its job does not survive
	id, serial uint32
	heard      atomic.Bool
}

// Name says which communicator it is. Nobody else uses v yet.
func (v *Revocable) Name(root *Root, id, serial uint32) {
	if Survives(root) {
		v.root, v.id, v.serial = root, id, serial
	}
}

// Hear notes that the process has read the revocation.
func (v *Revocable) Hear() { v.heard.Store(true) }

// Heard tells whether the process has read the revocation. It costs a load.
func (v *Revocable) Heard() bool { return v != nil && v.heard.Load() }

// Stands tells whether the communicator was revoked, also if this process has not read that yet. It looks at all slots:
// a caller asks before it says that a member has gone. A member may have revoked, and then have ended.
func (v *Revocable) Stands() bool {
	return v.Heard() || v != nil && v.root != nil && IsRevoked(v.root, v.id, v.serial)
}
