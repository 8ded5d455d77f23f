package capi

import (
	"math"

	"github.com/gopvas/gopvas/internal/comm"
)

// The short way of calls that send or receive a short message: some elements of a predefined type
// without gaps, no wildcard but a tag, no MPI_PROC_NULL, nothing wrong, one thread. Such a message is the
// work of few functions from here to the module that moves it. Anything else is refused, before anything has
// happened. Then the call goes the usual way.
//
// None of these calls sleeps. So the hang report need not know of them.

// The numbers of the functions, as in calls.
const (
	opIrecv = 84
	opIsend = 88
	opRecv  = 100
	opSend  = 108
)

// short makes a call the short way, if it can.
func (p *Process) short(op int, a slots) bool {
	switch op {
	case opSend:
		return p.shortSend(a)
	case opRecv:
		return p.shortRecv(a)
	case opIsend:
		return p.shortIsend(a)
	case opIrecv:
		return p.shortIrecv(a)
	}
	return false
}

// shortMessage returns the memory of a message, its communicator, nil if it is to go the usual way, and
// the size of its elements.
func (p *Process) shortMessage(a slots) (on *communicator, memory []byte, size int) {
	i, count, at := a.word(2)-uintptr(firstPredefined), a.int(1), Address(a.word(0))
	if i >= uintptr(len(predefinedTypes)) || uint(count)-1 >= math.MaxInt32 || at < firstPage {
		return nil, nil, 0
	}
	o := predefinedTypes[i].Load()
	if o == nil || o.unit == 0 {
		return nil, nil, 0
	}
	on = p.world
	if c := a.word(5); c != uintptr(COMM_WORLD) {
		on = p.comms.get(c)
	}
	return on, at.Bytes(count * o.unit), o.element.Size()
}

// mayBeShort is more elements than a message has that is sent the short way.
const mayBeShort = 256

func (p *Process) shortSend(a slots) bool {
	if a.word(1) > mayBeShort {
		return false
	}
	on, memory, _ := p.shortMessage(a)
	return on != nil && comm.SendShort(on.c, memory, a.int(3), a.int(4))
}

func (p *Process) shortIsend(a slots) bool {
	if a.word(1) > mayBeShort {
		return false
	}
	on, memory, _ := p.shortMessage(a)
	out := a.word(6)
	if on == nil || out < firstPage || !comm.SendShort(on.c, memory, a.int(3), a.int(4)) {
		return false
	}
	storeWord(out, uintptr(doneRequest))
	return true
}

func (p *Process) shortRecv(a slots) bool {
	on, memory, _ := p.shortMessage(a)
	want, err := recvTag(a.int(4))
	if on == nil || err != nil {
		return false
	}
	n, tag, ok := comm.RecvShort(on.c, memory, a.int(3), want)
	if !ok {
		return false
	}
	if status := (Status{a.word(6)}).wanted(); status != nil {
		status.set(a.int(3), tag, n, false)
	}
	return true
}

func (p *Process) shortIrecv(a slots) bool {
	on, memory, size := p.shortMessage(a)
	out := a.word(6)
	if on == nil || out < firstPage {
		return false
	}
	r := comm.PostShort(on.c, memory, a.int(3), a.int(4), 1<<placeBits-firstPlace)
	if r == nil {
		return false
	}
	h := requestHandle(r.Place(), r.Generation())
	r.SetOwner(uintptr(h), &on.messages.self, uint32(size))
	storeWord(out, uintptr(h))
	return true
}
