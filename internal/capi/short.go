package capi

import (
	"math"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Most messages are plain: some elements of a predefined type without gaps, to or from a named rank, nothing wrong.
// The arguments cost as much time as the rest of a short message, above all where the caches are cold: a program that
// computes between messages finds none of this code in them. So the arguments of plain messages are taken from where
// the program has put them. All other messages are dispatched.

// plainCall makes the call of a plain message. If it returns false nothing has happened.
func (p *Process) plainCall(op int, a slots) (did bool, err error) {
	switch op {
	case opSend:
		if on, memory, of := p.plain(a, a.int(4)); on != nil {
			readEnds(memory)
			return true, comm.Send(on.c, comm.Standard, memory, of, a.int(3), a.int(4))
		}
	case opRecv:
		tag, known := tagIn(a.int(4))
		if on, memory, of := p.plain(a, known); on != nil {
			var st comm.Status
			err = comm.Recv(on.c, &st, memory, of, a.int(3), tag)
			Status{a.word(6)}.set(&st)
			return true, err
		}
	case opIsend:
		if on, memory, of := p.plain(a, a.int(4)); on != nil && a.word(6) >= firstPage {
			readEnds(memory)
			r, err := comm.Isend(on.c, comm.Standard, memory, of, a.int(3), a.int(4))
			return true, p.begin(r, err, on, Ptr[Request]{a.word(6)})
		}
	case opIrecv:
		tag, known := tagIn(a.int(4))
		if on, memory, of := p.plain(a, known); on != nil && a.word(6) >= firstPage {
			r, err := comm.Irecv(on.c, memory, of, a.int(3), tag)
			return true, p.begin(r, err, on, Ptr[Request]{a.word(6)})
		}
	}
	return false, nil
}

// plain returns the memory of a message, what it consists of, and its communicator, which is nil if the message is not
// plain.
func (p *Process) plain(a slots, tag int) (on *communicator, memory []byte, of comm.Element) {
	i, count, at := a.word(2)-uintptr(firstPredefined), a.int(1), Address(a.word(0))
	if i >= uintptr(len(predefinedTypes)) || uint(count)-1 >= math.MaxInt32 || at.nowhere() || a.int(3)|tag < 0 {
		return nil, nil, 0
	}
	o := predefinedTypes[i].Load()
	if o == nil || o.unit == 0 {
		return nil, nil, 0
	}
	if on = p.world; a.word(5) != uintptr(COMM_WORLD) {
		on = p.comms.get(a.word(5))
	}
	return on, at.Bytes(count * o.unit), o.element
}
