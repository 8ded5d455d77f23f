package capi

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/comm"
)

// grequest is a generalized request: an operation of the program.
type grequest struct {
	g                   *comm.Generalized
	bytes               int // of an operation of a file, which has no functions: those it has moved
	query, free, cancel uintptr
	extra               Address
	ends                atomic.Uint32 // grequestComplete and grequestFreed
}

// The program completes a generalized request and frees it, in any order and by any two threads.
// The one that comes second lets the request go.
const (
	grequestComplete = 1 << iota
	grequestFreed
)

// Grequest_start is MPI_Grequest_start.
func (p *Process) Grequest_start(query, free, cancel Func, extra Address, out Ptr[Request]) error {
	g, r, err := comm.NewGeneralized(p.world.c)
	if err != nil {
		return err
	}
	return p.begun(r, newOwner(&owner{on: p.self, grequest: &grequest{
		g: g, query: query.Entry, free: free.Entry, cancel: cancel.Entry, extra: extra,
	}}), out)
}

// Grequest_complete is MPI_Grequest_complete.
func (p *Process) Grequest_complete(r Request) error {
	q, err := p.request(r)
	if err != nil {
		return err
	}
	g := q.generalized()
	if g == nil {
		return fail(ERR_REQUEST, "the request is no generalized one")
	}
	g.g.Complete()
	if g.ends.Or(grequestComplete)&grequestFreed == 0 {
		return nil
	}
	return p.leaveGeneralized(q)
}

// queryStatus asks the program for the status.
func (p *Process) queryStatus(g *grequest, status Status) error {
	if g.query == 0 {
		status.setBytes(g.bytes)
		return nil
	}
	cells := newCells((statusSize + 7) / 8)
	own := Status{addressOf(cells, 0)}
	own.setEmpty()
	err := p.callbackError(Upcall(g.query, []uintptr{uintptr(g.extra), own.addr}))
	if !status.Ignored() {
		status.SetMessage(own.Source(), own.Tag(), own.Bytes(), own.Cancelled())
	}
	return err
}

// queryGeneralized asks the program for the status of a request that is over, and tells it
// that the request is freed.
func (p *Process) queryGeneralized(g *grequest, status Status) error {
	err := p.queryStatus(g, status)
	if freed := p.freeGeneralized(g); err == nil {
		err = freed
	}
	return err
}

func (p *Process) freeGeneralized(g *grequest) error {
	if g.free == 0 {
		return nil
	}
	return p.callbackError(Upcall(g.free, []uintptr{uintptr(g.extra)}))
}

func (p *Process) cancelGeneralized(g *grequest) error {
	if g.cancel == 0 {
		return nil // it is over
	}
	complete := uintptr(0)
	if g.ends.Load()&grequestComplete != 0 {
		complete = 1
	}
	return p.callbackError(Upcall(g.cancel, []uintptr{uintptr(g.extra), complete}))
}

// leaveGeneralized lets a request go that is complete and freed.
func (p *Process) leaveGeneralized(q request) error {
	if err := comm.Leave(&q.r); err != nil {
		return err
	}
	return p.freeGeneralized(q.grequest)
}

// ReplaceCallbacks puts other functions and another extra state in the place of those of a key of attributes, a
// generalized request or an operator. At an address are six words: the number of that, three functions, the state, and
// 0. They become the former ones, and the last word 1, if there is such a thing. Callbacks of a key get values as
// integers from then on, and the function of an operator the state as its last argument.
func ReplaceCallbacks(words uintptr) {
	word := func(i int) uintptr { return words + uintptr(i)*8 }
	exchange := func(i int, with *uintptr) {
		old := *with
		*with = loadWord(word(i))
		storeWord(word(i), old)
	}
	number := loadWord(words)
	state := uintptr(0)
	if g := process.find(Request(number)).generalized(); g != nil {
		exchange(1, &g.query)
		exchange(2, &g.free)
		exchange(3, &g.cancel)
		state = uintptr(g.extra)
		exchange(4, &state)
		g.extra = Address(state)
	} else if o := operators.get(number); o != nil {
		exchange(1, &o.function.Entry)
		exchange(4, &o.argument)
	} else if key := process.keyvals.at(int(number)); key != nil {
		exchange(1, &key.copy.Entry)
		exchange(2, &key.delete.Entry)
		state = uintptr(key.extra)
		exchange(4, &state)
		key.extra, key.language = Address(state), inAddressSize
	} else {
		return
	}
	storeWord(word(5), 1)
}
