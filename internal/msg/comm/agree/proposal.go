package agree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/gopvas/gopvas/internal/msg/pml"
)

// A Proposal is what a member brings to the making of communicators: where it wants to
// be, and an id in case that it is to lead.
type Proposal struct {
	Color, Key int64
	Call       Call
	ID         uint64 // of what is made if this member leads; 0: it has none left
	Refused    bool   // this member's arguments are wrong
	Data       []byte // anything else
}

// A Call is the operation that members of a circle call.
type Call struct {
	Name   string // which stays on this rank
	number uint64 // of the operation and what all members have to pass alike
}

// Is tells whether two calls are the same operation, with the same arguments where all members have to pass them alike.
func (c Call) Is(other Call) bool { return c.number == other.number }

const proposalSize = 8 + 8 + 8 + 8 + 1

func (p *Proposal) encode() []byte {
	b := make([]byte, 0, proposalSize+len(p.Data))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.Color))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.Key))
	b = binary.LittleEndian.AppendUint64(b, p.Call.number)
	b = binary.LittleEndian.AppendUint64(b, p.ID)
	refused := byte(0)
	if p.Refused {
		refused = 1
	}
	return append(append(b, refused), p.Data...)
}

func decodeProposal(b []byte) (p Proposal, err error) {
	if len(b) < proposalSize {
		return p, errors.New("agree: a member makes another call: all members make the same calls, in one order")
	}
	return Proposal{
		Color:   int64(binary.LittleEndian.Uint64(b)),
		Key:     int64(binary.LittleEndian.Uint64(b[8:])),
		Call:    Call{number: binary.LittleEndian.Uint64(b[16:])},
		ID:      binary.LittleEndian.Uint64(b[24:]),
		Refused: b[32] != 0,
		Data:    b[proposalSize:],
	}, nil
}

// CallOf is an operation with arguments that all members have to pass alike. Different ones
// have the same number only by a rare accident.
func CallOf(op string, arguments ...any) Call {
	h := fnv.New64a()
	fmt.Fprint(h, op, arguments) // a hash does not fail
	return Call{op, h.Sum64()}
}

// Propose exchanges proposals among the members of a circle. badArguments is what is
// wrong with those of this one: it takes part nevertheless, so that all fail and none
// waits. Whether it fails, apart from a loss, is the same for all.
func (t Circle) Propose(p Proposal, badArguments error) ([]Proposal, error) {
	p.Refused = badArguments != nil
	t.Explain(p.Call.Name)
	parts, err := t.Exchange(p.encode())
	if err != nil {
		return nil, err
	}
	all := make([]Proposal, len(parts))
	var bad error
	for i, part := range parts {
		if all[i], err = decodeProposal(part); err != nil {
			return nil, err
		}
		switch {
		case bad != nil:
		case all[i].Refused:
			bad = fmt.Errorf("rank %d has passed bad arguments: its own error says which", i)
		case !all[i].Call.Is(all[0].Call):
			bad = fmt.Errorf("rank %d does not call the same operation with the same arguments as rank 0", i)
		}
	}
	if badArguments != nil {
		bad = badArguments
	}
	return all, bad
}

// Tell sends a member a proposal.
func (t Circle) Tell(to int, p Proposal) error { return t.send(to, p.encode()) }

// Hear receives the proposal of a member.
func (t Circle) Hear(from int) (Proposal, error) {
	message, err := t.receive(from)
	if err != nil {
		return Proposal{}, err
	}
	return decodeProposal(message)
}

// Swap exchanges proposals with the only member of a circle, another rank, which calls Swap, too.
func (t Circle) Swap(p Proposal) (theirs Proposal, err error) {
	t.Explain(p.Call.Name)
	message := p.encode()
	r, err := t.Engine.Isend(t.Context, int(t.Ranks[0]), t.Tag, message, pml.Standard)
	if err != nil {
		return theirs, err
	}
	theirs, err = t.Hear(0)
	if _, sent := r.Wait(); err == nil {
		err = sent
	}
	return theirs, err
}
