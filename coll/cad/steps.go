package cad

import (
	"errors"

	"github.com/gopvas/gopvas/pml"
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
func (s *Steps) Exchange(to int, out []byte, from int, in []byte) {
	if s.done {
		return
	}
	own := pml.Mark{Number: s.number & (1<<markBits - 1), Word: s.call}
	mark := own
	if s.failure.Fault != 0 && to >= 0 {
		mark.Number |= spoilt
		s.record(s.rank(to), s.failure.record(), pml.ProcNull, nil)
	}
	st, got, err := s.t.Messages.Exchange(s.channel.Context, tagOf(s.number, 0), mark, s.rank(to), out, s.rank(from), in)
	if err == nil && (from < 0 || got == own && st.Bytes == uint64(len(in))) {
		return
	}
	if truncated, ok := errors.AsType[*pml.TruncateError](err); ok {
		st.Bytes, err = truncated.Length, nil
	}
	if err != nil {
		s.failed(err)
	} else {
		s.Note(compare(s.t.Rank, s.call, s.number, uint64(len(in)), st, got))
		if got.Number&spoilt != 0 && !s.done {
			b := make([]byte, recordBytes)
			s.record(pml.ProcNull, nil, s.rank(from), b)
			s.Note(readRecord(b))
		}
	}
}

// record sends or receives a record.
func (s *Steps) record(to int, out []byte, from int, in []byte) {
	if _, _, err := s.t.Messages.Exchange(s.channel.Context, tagOf(s.number, recordPort), pml.Mark{}, to, out, from, in); err != nil {
		s.failed(err)
	}
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
	if lost, ok := errors.AsType[*LostError](err); ok {
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
