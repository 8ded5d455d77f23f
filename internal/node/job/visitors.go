package job

import (
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Visitors are ranks of other jobs of the user that this job is connected with by a port. Each has a
// place of this job, and so a number: its places are given out from the last one down. They are no ranks of the job:
// Ranks, and what goes from 0 to it, leaves them out. Their processes are not this supervisor's. It hears from theirs
// what happens to them, and notes it here, as of ranks on other nodes. So whoever waits for one asks the same
// questions.
//
// A number is of one job. What jobs tell each other of ranks, they tell by names. A job that can be reached has a
// number that no other job of the user has at the time on its node (see launcher/internal/neighbour). Jobs of different
// nodes that have the same number do not meet. A name is the number of the job and that of the rank. Before a job has
// one, its ranks have their numbers as names. Those stay theirs: no job has the number 0.
//
// The supervisor alone writes all of this: the block of a visitor before visitors counts it, the number of the job
// once.
type visitorBlock struct {
	name    uint32
	pid     uint32 // of its supervisor
	key     Key    // of messages between its job and this one
	netName uint32 // see NetName
	_       [cacheLine - 12 - 32]byte
}

// Visitors are further ranks of another job, from the number that First has there on.
type Visitors struct {
	ID     uint64 // of the job
	Number int    // of the job
	Pid    int    // of its supervisor
	First  int
	Nodes  []int // of each rank, there
	Key    Key
}

const (
	nameBits = 8

	// MostNumbered is how many places a job has at most that can be reached by others, and MostJobs the highest number
	// of such a job.
	MostNumbered = 1 << nameBits
	MostJobs     = 1<<8 - 1

	// NameSize is how many bits a name has.
	NameSize = 8 + nameBits

	// nodeBits is how many bits the number of a node has. A visitor's, which differs from those of all other jobs, has
	// that of its job before them.
	nodeBits = 16
)

// SetJobNumber gives the job its number among the jobs of the user.
func (r *Root) SetJobNumber(n int) { r.head.number.Store(uint32(n)) }

// JobNumber returns it, 0 if the job has none: then it has no visitors.
func (r *Root) JobNumber() int { return int(r.head.number.Load()) }

// AddVisitors adds ranks of another job. The error says that there is no room.
func (r *Root) AddVisitors(v Visitors) error {
	end := r.Places() - r.Visitors()
	if len(v.Nodes) > end-r.Ranks() {
		return fmt.Errorf("the job has room for %d ranks, and those of other jobs take room, too: use fewer ranks, or "+
			"pvasrun --universe N with N up to %d", r.Places(), MostNumbered)
	}
	for i, node := range v.Nodes {
		b := &r.ranks[end-1-i]
		b.visitor = visitorBlock{name: NameIn(v.Number, v.First+i), pid: uint32(v.Pid), key: v.Key,
			netName: netJob(v.ID) | uint32(v.First+i)}
		b.address.node = uint32(v.Number<<nodeBits | node)
	}
	r.head.visitors.Add(uint32(len(v.Nodes)))
	return nil
}

// Visitors returns how many visitors the job has had. Their numbers are the highest of its places.
func (r *Root) Visitors() int { return int(r.head.visitors.Load()) }

// Visits tells whether a number is that of a visitor.
func (r *Root) Visits(rank int) bool { return rank >= len(r.ranks)-r.Visitors() && rank < len(r.ranks) }

// All are the numbers of ranks and visitors.
func (r *Root) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rank := range r.Ranks() {
			if !yield(rank) {
				return
			}
		}
		for rank := len(r.ranks) - r.Visitors(); rank < len(r.ranks); rank++ {
			if !yield(rank) {
				return
			}
		}
	}
}

// NameOf returns the name of a rank or visitor.
func (r *Root) NameOf(rank int) uint32 {
	if r.Visits(rank) {
		return r.ranks[rank].visitor.name
	}
	return NameIn(r.JobNumber(), rank)
}

// NameIn returns the name of a rank of the job with a number, and NumberIn that number.
func NameIn(number, rank int) uint32 { return uint32(number<<nameBits + rank) }

func NumberIn(name uint32) int { return int(name >> nameBits) }

func rankIn(name uint32) int { return int(name & (MostNumbered - 1)) }

// Named returns the number here of who has a name; ok is false if it is nobody known.
func (r *Root) Named(name uint32) (rank int, ok bool) {
	own := r.JobNumber()
	if own == 0 || NumberIn(name) == 0 {
		return int(name), name < uint32(len(r.ranks))
	}
	if NumberIn(name) == own {
		return rankIn(name), true
	}
	for rank := len(r.ranks) - r.Visitors(); rank < len(r.ranks); rank++ {
		if r.ranks[rank].visitor.name == name {
			return rank, true
		}
	}
	return 0, false
}

// NetName returns what a rank or visitor is called in the network. Ranks have that from the start, before the job has a
// number. Of those that can meet, it is made of the job's ID, so that others differ.
func NetName(r *Root, rank int) uint32 {
	switch {
	case r.Visits(rank):
		return r.ranks[rank].visitor.netName
	case Alone(r):
		return uint32(rank) + 1
	}
	return netJob(r.ID()) | uint32(rank)
}

// NetNamed is the contrary of NetName; ok is false if it is nobody known.
func NetNamed(r *Root, name uint32) (rank int, ok bool) {
	switch {
	case Alone(r):
		return int(name) - 1, name > 0 && name <= uint32(len(r.ranks))
	case name&^(MostNumbered-1) == netJob(r.ID()):
		rank = rankIn(name)
		return rank, rank < len(r.ranks)
	}
	for rank := len(r.ranks) - r.Visitors(); rank < len(r.ranks); rank++ {
		if r.ranks[rank].visitor.netName == name {
			return rank, true
		}
	}
	return 0, false
}

// Alone tells whether a job meets no others: it may have more ranks than names. One on a single node that survives has
// more places, but meets others only before it has had so many ranks.
func Alone(r *Root) bool { return r.Places() > MostNumbered && (r.Nodes() > 1 || !Survives(r)) }

// netJob is what the names of a job's ranks in the network begin with. It is not 0.
func netJob(id uint64) uint32 { return max(uint32(id)<<nameBits, 1<<nameBits) }

// SameInNetwork tells whether jobs with these IDs cannot meet: their ranks have the same names in the network.
func SameInNetwork(a, b uint64) bool { return netJob(a) == netJob(b) }

// VisitorKey returns the key of the messages with a visitor.
func (r *Root) VisitorKey(rank int) Key { return r.block(rank).visitor.key }

// OtherJob says which rank of which job a visitor is, "" of any other rank.
func (r *Root) OtherJob(rank int) string {
	if !r.Visits(rank) {
		return ""
	}
	v := &r.ranks[rank].visitor
	return fmt.Sprintf("rank %d of another job (that of pvasrun %d)", rankIn(v.name), v.pid)
}

// MeetSocket is the name of the socket at which the supervisor of the job with a number is found.
func MeetSocket(number int) string { return fmt.Sprintf("gopvas-%d-job-%d", os.Geteuid(), number) }

// ServiceSocket is the name of the socket that the supervisor of a job listens at which has published a service: who
// connects is told the port, and then the end.
func ServiceSocket(service string) string {
	sum := sha256.Sum256([]byte(service))
	return fmt.Sprintf("gopvas-%d-service-%x", os.Geteuid(), sum[:20])
}

// PublishedElsewhere returns the port of a service that another job of the user has published on this node. The error
// wraps ErrName if there is none.
func PublishedElsewhere(service string) (port string, err error) {
	socket, err := sys.ConnectNamed(ServiceSocket(service))
	if err != nil {
		return "", refusal(ErrName, "%.100q: %v", service, err)
	}
	defer socket.Close()
	_ = socket.SetReadDeadline(time.Now().Add(publishLimit)) // never fails: it is a socket
	text, err := io.ReadAll(io.LimitReader(socket, publishMost))
	if err == nil {
		_, err = ParsePort(string(text))
	}
	if err != nil {
		return "", refusal(ErrName, "%.100q: %v", service, err)
	}
	return string(text), nil
}

// What is read of a published port: that of a supervisor which is stopped does not come.
const (
	publishLimit = 10 * time.Second
	publishMost  = 1 << 10
)
