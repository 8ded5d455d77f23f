package cad

import (
	"encoding/binary"
	"errors"
	"runtime"

	"github.com/gopvas/gopvas/pml"
)

// Between processes a SEND is a message, a RECV receives it, and the owner alone
// executes, in its own calls. All of this file runs under the lock of the engine for
// messages.
//
// What is wrong with a graph travels as it does in one address space, along with the
// data: the rank where it is found tells all that it communicates with, by a notice that
// is sent before its later messages and so is there when those are.

// The tag of a message says which graph of the channel it belongs to, by some bits of its
// number, and which pair. That of a notice says which graph.
const (
	portBits    = 20
	numberBits  = 10
	noticeTag   = 1 << (portBits + numberBits)
	noticeBytes = 16
)

func numberTag(number uint32) int { return int(number & (1<<numberBits - 1)) }
func letterTag(number, port uint32) int {
	return numberTag(number)<<portBits | int(port&(1<<portBits-1))
}

// mail is what a run has sent and posted.
type mail struct {
	begun  bool
	told   bool
	active []letter
}

// letter is a message that is underway, for a node.
type letter struct {
	request pml.Request
	n       *node
	data    []byte // of a RECV that folds
}

// progressMessages does what can be done.
func (r *run) progressMessages() {
	m := &r.mail
	x := r.e.enter(false)
	defer x.leave()
	if !m.begun {
		m.begun, m.told = true, false
		r.tell() // if it is refused
		x.finish(r.shared, r.image.node(r.image.start))
		x.drain()
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(m.active); {
			l := m.active[i]
			st, done, err := r.e.messages.Inside().Take(&l.request)
			if !done {
				i++
				continue
			}
			again = true
			last := len(m.active) - 1
			m.active[i] = m.active[last]
			m.active[last] = letter{}
			m.active = m.active[:last]
			r.arrived(x, l, st, err)
		}
	}
	r.listen()
	if r.shared.done.Load() == r.issue {
		m.begun = false
	}
}

// communicate begins the message of a node.
func (r *run) communicate(n *node) {
	r.tell() // before what depends on it
	in, p := r.e.messages.Inside(), pairOf(n.arg)
	tag := letterTag(r.number, p.port)
	l := letter{n: n}
	var err error
	switch {
	case n.kind == Send:
		l.request, err = in.Isend(r.channel.Context, int(p.rank), tag, bytesAt(n.src, n.size))
	case n.folds:
		l.data = make([]byte, n.size)
		l.request, err = in.Irecv(r.channel.Context, int(p.rank), tag, l.data)
	default:
		l.request, err = in.Irecv(r.channel.Context, int(p.rank), tag, bytesAt(n.dst, n.size))
	}
	if err != nil {
		r.failed(err)
		return
	}
	r.mail.active = append(r.mail.active, l)
}

// arrived is for a message that is over.
func (r *run) arrived(x *executor, l letter, st pml.Status, err error) {
	n := l.n
	truncated, _ := errors.AsType[*pml.TruncateError](err)
	switch {
	case truncated != nil:
		st.Bytes = truncated.Length
	case err != nil:
		r.failed(err)
		return
	}
	if n.kind == Recv {
		r.listen() // what was wrong with it has come before
		if st.Bytes != n.size {
			r.shared.note(faultSize|fault(st.Source), join(st.Bytes, n.size), "")
		} else if n.folds {
			x.calculate(ref{r.shared, n}, addressOf(l.data))
			runtime.KeepAlive(l.data)
		}
		x.tally(ref{r.shared, n})
	}
	r.tell()
	x.finish(r.shared, n)
	x.drain()
	r.tell()
}

// failed ends the channel, with a message that can not come or go.
func (r *run) failed(err error) {
	f := faultLost | fault(r.e.rank)
	if lost, ok := errors.AsType[*LostError](err); ok {
		f = faultLost | fault(lost.Rank)
	}
	r.record.broken.CompareAndSwap(0, uint64(f))
}

// tell sends a notice, once, if something is wrong: to all that get data from here, and
// to the sender of a message of the wrong length.
func (r *run) tell() {
	s, m := r.shared, &r.mail
	if s.fault.Load() == 0 || m.told {
		return
	}
	m.told = true
	notice := binary.LittleEndian.AppendUint64(nil, s.fault.Load())
	notice = binary.LittleEndian.AppendUint64(notice, s.detail.Load())
	base := uint32(r.image.count)
	for i := range uint32(r.image.peers) {
		key := word(r.image.aux, base+i*peerWords).Load()
		if f := fault(s.fault.Load()); key&1 != 0 && (f.kind() != faultSize || f.rank() != int(key>>1)) {
			continue
		}
		request, err := r.e.messages.Inside().Isend(r.channel.Context, int(key>>1), noticeTag|numberTag(r.number), notice)
		if err == nil {
			r.e.messages.Inside().Leave(&request)
		}
	}
}

// listen takes notices that have come.
func (r *run) listen() {
	in, tag := r.e.messages.Inside(), noticeTag|numberTag(r.number)
	for in.Has(r.channel.Context, pml.AnySource, tag) {
		notice := make([]byte, noticeBytes)
		request, err := in.Irecv(r.channel.Context, pml.AnySource, tag, notice)
		if err != nil {
			return
		}
		if _, done, err := in.Take(&request); done && err == nil {
			f := fault(binary.LittleEndian.Uint64(notice))
			r.shared.note(f, binary.LittleEndian.Uint64(notice[8:]), "")
		}
	}
	r.tell()
}

// dropMessages withdraws what can be, of a run that was given up.
func (r *run) dropMessages() {
	for i := range r.mail.active {
		r.e.messages.Inside().Drop(&r.mail.active[i].request)
	}
}
