package comm

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/gopvas/gopvas/internal/node/job"
)

// A communicator has a number, its id, which no other communicator of the job has that
// any rank has something left of. Some contexts belong to it, in which its messages are
// matched apart from all others.
type purpose uint32

const (
	pointToPoint purpose = iota // messages of the program
	collective                  // of collective operations
	agreement                   // of all members, about new communicators and about the end of this one
	grouping                    // of some members, about new communicators, with the program's tags
	nonblocking                 // of nonblocking collective operations
	partitioned                 // partitioned messages of the program
	levels                      // of collective operations, within nodes and between them
	pairing                     // of partitioned sends and receives, with the program's tags

	purposes purpose = 8
)

func (p purpose) of(id uint32) uint32 { return id*uint32(purposes) + uint32(p) }

// idOf returns the communicator that a context belongs to.
func idOf(context uint32) uint32 { return context / uint32(purposes) }

const (
	idBits  = 29
	worldID = 0 // of the first world; also "none": nobody hands it out
	meetID  = 1 // of no communicator: its contexts are for Meet, ports and parents
	firstID = 2 // that is handed out
)

// visitBit is set in ids of communicators that may have ranks of other jobs. The other bits are the name of a rank (see
// job.Root.NameOf) and a number of its own, so these ids differ in all jobs of the user.
const visitBit = 1 << (idBits - 1)

// idsFrom returns the first of the ids of a rank of the job, if there is room for so many ranks. A world has those two
// of its rank 0 that nobody hands out, as worldID and meetID.
func idsFrom(rank, places int) uint32 { return uint32(rank) << (idBits - 1 - bits.Len(uint(places-1))) }

// contexts hands out the ids of communicators that this process is to lead, which
// means to be their rank 0. The ids of the job are divided evenly among its ranks, so
// that nobody has to be asked: two communicators differ in their leaders, or one
// process has told them apart. That holds whatever goroutines of which ranks make
// communicators at the same time.
//
// An id is used again after Free, once all members have found nothing left of its communicator (see retire). So neither
// the ids in use nor the engine's queues for their contexts become more than the communicators at one time. Each rank
// has 2^28 ids divided by the number of ranks, rounded up to a power of two. When the job has a number
// (job.Root.JobNumber) it takes those with visitBit.
type contexts struct {
	mu    sync.Mutex
	own   ids
	taken uint32    // how often an id was taken, see take
	visit ids       // none until the job has a number
	root  *job.Root // nil: it never gets one
	rank  int

	retiring sync.Mutex
	retired  []*retirement // freed, and not settled yet: see retire
	turn     int           // which of them settle asks next

	unfreed unfreed

	standIns sync.WaitGroup // goroutines of standIn and of bound
}

// ids are those that a rank can hand out.
type ids struct {
	next, end uint32   // never handed out yet
	returned  []uint32 // to hand out again
}

func newContexts(rank, places int) *contexts {
	return &contexts{
		own:   ids{next: idsFrom(rank, places) + firstID, end: idsFrom(rank+1, places)},
		taken: rand.Uint32(), // a later job may have the ids of this one's
	}
}

// take returns an id, worldID if there is none left. Its upper half is a number that the communicator before it with
// the lower half does not have. So a question about that one is not taken for one about this one (coll.Team.Serial).
func (c *contexts) take() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.own
	c.taken++
	serial := uint64(c.taken) << 32
	if c.visit.end == 0 && c.root != nil && c.root.JobNumber() > 0 {
		const each = idBits - 1 - job.NameSize
		name := c.root.NameOf(c.rank)
		c.visit.next, c.visit.end = visitBit|name<<each, visitBit|(name+1)<<each
	}
	if c.visit.end != 0 {
		s = &c.visit
	}
	if last := len(s.returned) - 1; last >= 0 {
		id := s.returned[last]
		s.returned = s.returned[:last]
		return serial | uint64(id)
	}
	if s.next == s.end {
		return worldID
	}
	s.next++
	return serial | uint64(s.next-1)
}

// give takes back an id that nobody uses, or uses any more.
func (c *contexts) give(taken uint64) {
	if taken == worldID {
		return
	}
	id := uint32(taken)
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.own
	if id&visitBit != 0 {
		s = &c.visit
	}
	s.returned = append(s.returned, id)
}

// errNoContext says whose ids are used up.
func errNoContext(leader int) error {
	return fmt.Errorf("rank %d has been rank 0 of too many communicators: "+
		"free those that are not needed", leader)
}
