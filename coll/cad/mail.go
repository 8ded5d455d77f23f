package cad

import (
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
// is sent before its later messages and so is heard before those are received.

// The tag of a message says which graph of the channel it belongs to, by some bits of its
// number, and which pair. Along with it comes what the graph stands for.
const (
	portBits   = 20
	numberBits = 10
)

func letterTag(number, port uint32) int {
	return int(number&(1<<numberBits-1))<<portBits | int(port&(1<<portBits-1))
}

// mail is what a run has sent and posted.
type mail struct {
	begun  bool
	told   bool
	active []letter

	lasting bool      // the wait is a long one
	asked   []int     // ranks that were asked whether what it waits for can come
	through []through // those that have answered that they are through
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
		*m = mail{begun: true, active: m.active[:0], asked: m.asked[:0], through: m.through[:0]}
		r.tell() // if it is refused
		r.e.hearAgain(r.channel.Context)
		x.finish(r.shared, r.image.node(r.image.start))
		x.drain()
	}
	if len(m.through) > 0 {
		r.e.messages.Inside().Settle()
	}
	r.takeLetters(x)
	if r.shared.done.Load() == r.issue {
		m.begun = false
	} else if len(m.through) > 0 {
		r.giveUpLetters()
	}
}

// takeLetters goes on after the messages that are over.
func (r *run) takeLetters(x *executor) {
	m := &r.mail
	for again := true; again; {
		again = false
		for i := 0; i < len(m.active); {
			l := m.active[i]
			st, call, done, err := r.e.messages.Inside().Take(&l.request)
			if !done {
				i++
				continue
			}
			again = true
			last := len(m.active) - 1
			m.active[i] = m.active[last]
			m.active[last] = letter{}
			m.active = m.active[:last]
			r.arrived(x, l, st, call, err)
		}
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
		l.request, err = in.Isend(r.channel.Context, int(p.rank), tag,
			pml.Mark{Number: short(r.number), Word: r.call()}, bytesAt(n.src, n.size))
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
	if r.mail.lasting {
		r.ask(int(p.rank))
	}
}

// arrived is for a message that is over.
func (r *run) arrived(x *executor, l letter, st pml.Status, call uint64, err error) {
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
		r.shared.note(between(r.e.rank, r.call(), st.Source, call))
		if st.Bytes != n.size {
			r.shared.note(failure{fault: faultSize | fault(st.Source), detail: [2]uint64{st.Bytes, n.size}})
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
	r.record.ruin(failure{fault: f}, r.number)
}

// dropMessages withdraws what can be, of a run that was given up, and leaves the rest.
func (r *run) dropMessages() {
	for i := range r.mail.active {
		request := &r.mail.active[i].request
		r.e.messages.Inside().Drop(request)
		r.e.messages.Inside().Leave(request)
	}
}
