package cad

import (
	"errors"

	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Steps is one call of a collective that a member makes message by message, without a
// graph, for algorithms in which a graph would cost as much as the messages. The messages
// obey the same rules as those of graphs: see Faults above.
type Steps struct {
	t       *Transport
	channel *Channel
	number  uint32
	call    uint64
	failure Failure
	broken  error
	done    bool // given up
}

// Steps begins a call with this signature.
func (t *Transport) Steps(c *Channel, call uint64) Steps {
	s := Steps{t: t, channel: c, number: c.issued.Add(1) - 1, call: call}
	if t.Failed != nil {
		s.failure = *t.Failed
	}
	return s
}

// Exchange sends to one member and receives from another; -1: neither.
func (s *Steps) Exchange(to int, out []byte, from int, in []byte) { s.exchange(0, to, out, from, in) }

// Way says how the bytes of a message come.
type Way uint8

const (
	Here      Way = iota // in it
	Elsewhere            // in other messages: the sender has called Divert
	Nowhere              // unknown: the sender has failed, or has not learned the way itself
)

// Divert tells a member that the bytes of a message come another way. The message is empty.
func (s *Steps) Divert(to int) { s.exchange(diverted, to, nil, -1, nil) }

// Lose sends the failure to a member instead of the bytes or their way. It does not wait until the member receives
// that.
func (s *Steps) Lose(to int) {
	if s.done || s.failure.Fault == 0 {
		return
	}
	s.post(to, recordPort, pml.Mark{}, s.failure.record())
	s.post(to, 0, pml.Mark{Number: s.number&(1<<markBits-1) | spoilt, Word: s.call}, nil)
}

// Receive receives a message of some bytes, and tells how they come. If it is not Here, in has not been written to.
func (s *Steps) Receive(from int, in []byte) Way {
	switch st, got, ok := s.exchange(0, -1, nil, from, in); {
	case got.Number&diverted != 0:
		return Elsewhere
	case !ok || st.Bytes == 0 && len(in) > 0:
		return Nowhere
	}
	return Here
}

// exchange is Exchange with a flag in the mark of what is sent. st and got are those of the received message. Unless
// ok, nothing was received, or something has failed.
func (s *Steps) exchange(flag uint32, to int, out []byte, from int, in []byte) (st pml.Status, got pml.Mark, ok bool) {
	if s.done {
		return st, got, false
	}
	own := pml.Mark{Number: s.number & (1<<markBits - 1), Word: s.call}
	mark := own
	mark.Number |= flag
	if s.failure.Fault != 0 && to >= 0 {
		mark.Number |= spoilt
		s.post(to, recordPort, pml.Mark{}, s.failure.record())
	}
	st, got, err := s.t.Messages.Exchange(s.channel.Context, tagOf(s.number, 0), mark,
		s.rank(to), out, s.rank(from), in)
	if err == nil && (from < 0 || got == own && st.Bytes == uint64(len(in))) {
		return st, got, true
	}
	if truncated, ok := errors.AsType[*fault.TruncateError](err); ok {
		st.Bytes, err = truncated.Length, nil
	}
	if err != nil {
		s.failed(err)
		return st, pml.Mark{}, false
	}
	want := uint64(len(in))
	if st.Bytes == 0 && got.Number&(diverted|spoilt) != 0 { // of Divert or Lose
		want = 0
	}
	s.Note(compare(s.t.Rank, s.call, s.number, want, st, got))
	if got.Number&spoilt != 0 && !s.done {
		s.Note(s.record(from))
	}
	return st, got, true
}

// post sends a message about a failure without waiting: the receiver takes the record after the spoilt message that
// follows it.
func (s *Steps) post(to int, port uint32, m pml.Mark, b []byte) {
	if err := s.t.Messages.Post(s.channel.Context, s.rank(to), tagOf(s.number, port), m, b); err != nil {
		s.failed(err)
	}
}

// record receives what has failed at a member.
func (s *Steps) record(from int) Failure {
	b := make([]byte, recordBytes)
	if _, _, err := s.t.Messages.Exchange(s.channel.Context, tagOf(s.number, recordPort), pml.Mark{}, pml.ProcNull, nil,
		s.rank(from), b); err != nil {
		s.failed(err)
		return Failure{}
	}
	return readRecord(b)
}

func (s *Steps) rank(member int) int {
	if member < 0 {
		return pml.ProcNull
	}
	return s.channel.world(member)
}

// Note keeps the first failure.
func (s *Steps) Note(f Failure) {
	if s.failure.Fault == 0 {
		s.failure = f
	}
	s.done = s.done || f.Kind() == Mismatch
}

func (s *Steps) failed(err error) {
	if lost, ok := errors.AsType[*fault.LostError](err); ok {
		s.Note(About(Lost, s.t.culprit(s.channel, lost.Rank)))
		return
	}
	s.broken, s.done = err, true
}

// Failed tells whether the result is lost.
func (s *Steps) Failed() bool { return s.done || s.failure.Fault != 0 }

// Err returns what has gone wrong.
func (s *Steps) Err() error {
	if s.t.Failed != nil {
		*s.t.Failed = s.failure
		return s.broken
	}
	if s.broken != nil || s.failure.Fault == 0 {
		return s.broken
	}
	return Reporter{s.channel.member, s.t.Describe}.Err(s.failure, s.call)
}
