package capi

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
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
// generalized request or an operator, or another function in the place of an error handler. At an address are six
// words: the handle, or 16 times the key, three functions, the state, and 0. They become the former ones, and the last
// word 1, if there is such a thing. Callbacks of a key get values as integers from then on, and the function of an
// operator the state as its last argument. The second function of an error handler becomes the kind of its objects: 1
// for communicators, 2 windows, 3 files.
func ReplaceCallbacks(words uintptr) {
	word := func(i int) uintptr { return words + uintptr(i)*8 }
	exchange := func(i int, with *uintptr) {
		old := *with
		*with = loadWord(word(i))
		storeWord(word(i), old)
	}
	handle, there := loadWord(words), uintptr(0)
	switch handleKind(handle & kindMask) {
	case kindRequest:
		if g := process.find(Request(handle)).generalized(); g != nil {
			there = 1
			exchange(1, &g.query)
			exchange(2, &g.free)
			exchange(3, &g.cancel)
			exchange(4, (*uintptr)(&g.extra))
		}
	case kindOp:
		if o := operators.get(handle); o != nil {
			there = 1
			exchange(1, &o.function.Entry)
			exchange(4, &o.argument)
		}
	case kindErrhandler:
		if h := process.errhandlers.get(handle); h != nil && h.of != onSession {
			there = 1
			exchange(1, &h.f.Entry)
			storeWord(word(2), uintptr(h.of))
		}
	case 0: // no handle
		if key := process.keyvals.at(int(handle >> kindBits)); key != nil {
			there, key.language = 1, byProxy
			exchange(1, &key.copy.Entry)
			exchange(2, &key.delete.Entry)
			exchange(4, (*uintptr)(&key.extra))
		}
	}
	storeWord(word(5), there)
}
