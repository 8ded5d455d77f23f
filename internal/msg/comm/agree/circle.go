package agree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// A Circle is a set of ranks that agree. They use its context and tag for nothing else at the same time.
type Circle struct {
	Engine  *pml.Engine
	Context uint32
	Tag     int
	Ranks   []int32       // the job's rank of each member
	Rank    int           // this process' place among them
	Name    func() string // of the communicator, for the hang report
	Within  job.Agreed    // the call of which this is a part, or nothing: see job.Prove
}

// Explain has the hang report name the call in which a member waits for another. That holds until
// the context is used for the next one: nothing else waits in it.
func (t Circle) Explain(call string) {
	t.Engine.Explain(t.Context, func(w *job.Waiting) {
		if w.Op != job.OpProbe && w.Op != job.OpRecv {
			return // a long message that its receiver takes is no wait for a call
		}
		peer := int(w.Peer)
		w.Op, w.Collective = job.OpCollective, job.Collective{Name: call, Communicator: t.Name(),
			Agreed: t.Within, Need: job.NeedPeers}
		w.Collective.Miss(peer)
	})
}

// Await waits until the only member of a circle, another rank, has sent something, or is lost, or a time is over. It
// returns whether one of the first two has happened. The hang report says what is waited for.
func (t Circle) Await(within time.Duration, what job.Collective) (came bool, err error) {
	what.Need = job.NeedPeers
	what.Miss(int(t.Ranks[0]))
	return t.Engine.AwaitMessage(t.Context, int(t.Ranks[0]), t.Tag, within, func() job.Waiting {
		return job.Waiting{Op: job.OpCollective, Context: t.Context, Others: true, Collective: what}
	})
}

// A message of a circle begins with its verdict: noneLost, or the member that has
// gone. What follows are the parts of the members, each after its length.
const (
	noneLost    = -1
	verdictSize = 4
)

// Exchange returns what every member has brought, by its rank. It goes up and down a
// binomial tree. Node r has the subtrees r+1, r+2, r+4... below it, of 1, 2, 4... nodes, so
// the parts come together in the order of the ranks.
//
// A member that has gone is an error for all. If it had only to pass on the result, it is one
// for the members below it. A member that is told of a loss tells the others. All members that
// get a result get the same.
func (t Circle) Exchange(mine []byte) ([][]byte, error) {
	message := binary.LittleEndian.AppendUint32(make([]byte, verdictSize), uint32(len(mine)))
	message = append(message, mine...)
	lost := noneLost
	width := 1 // up to the first subtree that belongs to somebody else, or to nobody
	for ; t.Rank&width == 0 && t.Rank+width < len(t.Ranks); width <<= 1 {
		part, err := t.receive(t.Rank + width)
		if err := t.note(&lost, part, err); err != nil {
			return nil, err
		}
		message = append(message, part[min(verdictSize, len(part)):]...)
	}
	if t.Rank != 0 {
		parent := t.Rank & (t.Rank - 1)
		err := t.send(parent, seal(message, lost))
		if err == nil {
			message, err = t.receive(parent)
		}
		if err := t.note(&lost, message, err); err != nil {
			return nil, err
		}
	}
	message = seal(message, lost)
	for width >>= 1; width > 0; width >>= 1 {
		if err := t.note(&lost, nil, t.send(t.Rank+width, message)); err != nil {
			return nil, err
		}
	}
	if lost != noneLost {
		return nil, &fault.LostError{Rank: int(t.Ranks[lost])}
	}
	return split(message[verdictSize:], len(t.Ranks))
}

// note writes down a loss, told by an error or by the message of a member that met
// it. It returns other errors, after which this rank cannot go on.
func (t Circle) note(lost *int, message []byte, err error) error {
	if gone, ok := errors.AsType[*fault.LostError](err); ok {
		*lost = max(slices.Index(t.Ranks, int32(gone.Rank)), 0) // it is a member: nobody else is waited for
		return nil
	}
	if err == nil && len(message) >= verdictSize {
		if member := int32(binary.LittleEndian.Uint32(message)); member != noneLost {
			*lost = min(int(uint32(member)), len(t.Ranks)-1)
		}
	}
	return err
}

// seal puts the verdict into a message. After a loss it has nothing else to say.
func seal(message []byte, lost int) []byte {
	if lost != noneLost {
		message = make([]byte, verdictSize)
	}
	verdict := int32(lost)
	binary.LittleEndian.PutUint32(message, uint32(verdict))
	return message
}

// split takes the parts of n members apart.
func split(message []byte, n int) ([][]byte, error) {
	parts := make([][]byte, n)
	for i := range parts {
		if len(message) < 4 {
			return nil, fmt.Errorf("agree: the part of rank %d is missing: all members pass the same ranks", i)
		}
		length := binary.LittleEndian.Uint32(message)
		message = message[4:]
		if uint64(length) > uint64(len(message)) {
			return nil, fmt.Errorf("agree: the part of rank %d is cut off", i)
		}
		parts[i], message = message[:length:length], message[length:]
	}
	return parts, nil
}

func (t Circle) send(to int, message []byte) error {
	return t.Engine.Send(t.Context, int(t.Ranks[to]), t.Tag, message, pml.Standard)
}

func (t Circle) receive(from int) ([]byte, error) {
	m, st, err := t.Engine.Mprobe(t.Context, int(t.Ranks[from]), t.Tag)
	if err != nil {
		return nil, err
	}
	message := make([]byte, st.Bytes)
	_, err = t.Engine.Mrecv(&m, btl.Buffer{Bytes: message})
	return message, err
}

// RanksOf returns the job's ranks of some members.
func (t Circle) RanksOf(members []int) []int32 {
	ranks := make([]int32, len(members))
	for i, member := range members {
		ranks[i] = t.Ranks[member]
	}
	return ranks
}
