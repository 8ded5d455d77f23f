package capi

import (
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/comm"
)

// request is what a handle of a request stands for. It is one cache line, of which most messages
// write all: what few requests have is in special.
type request struct {
	handle  Request // while the place is free: of no kind, so that nothing finds it
	r       comm.Request
	on      *communicator // whose error handler is asked
	special *special      // nil: a message that was begun, and that its wait ends
	next    *request      // in the free list
}

// special is what a request is that is persistent, generalized or of a collective operation.
type special struct {
	persistent bool
	active     bool
	collective bool                         // it can be neither cancelled nor, while it is active, freed
	start      func() (comm.Request, error) // of a persistent request that is begun anew each time; nil: r is started
	own        *comm.Comm                   // of a persistent collective operation
	grequest   *grequest                    // nil: it is no generalized request
	parts      *partitions                  // nil: it is no partitioned message
}

// underway is special of all collective operations that were begun. Nobody writes to it.
var underway = &special{active: true, collective: true}

// collective tells whether the operation is a collective one.
func (q *request) collective() bool { return q.special != nil && q.special.collective }

// idle tells whether there is nothing to wait for.
func (q *request) idle() bool { return q == nil || q.special != nil && !q.special.active }

// generalized returns what a generalized request is; nil for other requests.
func (q *request) generalized() *grequest {
	if q == nil || q.special == nil {
		return nil
	}
	return q.special.grequest
}

// partitions returns those of a partitioned message; nil for other requests.
func (q *request) partitions() *partitions {
	if q == nil || q.special == nil {
		return nil
	}
	return q.special.parts
}

// requestTable has the requests that the program has handles of.
//
// A request has its place for good and is used again. So to begin an operation allocates
// nothing, unless there were never as many requests at a time. Its handle differs each time,
// as in table.
//
// The lock is needed only if threads call at the same time. Requests are looked up without it: see
// table.
type requestTable struct {
	many   bool // threads call at the same time; set before there is a second one
	chunks atomic.Pointer[[]*[chunkRequests]request]

	mu   sync.Mutex
	used int      // places that were ever used
	free *request // the one that was freed last is used first: it is in the cache
}

// chunkRequests is small, since each rank that begins an operation has a chunk.
const chunkRequests = 64

// get returns the request of a handle, nil if there is none.
func (t *requestTable) get(h Request) *request {
	chunks, place := t.chunks.Load(), uint(placeOf(uintptr(h)))
	if chunks == nil || place/chunkRequests >= uint(len(*chunks)) {
		return nil
	}
	q := &(*chunks)[place/chunkRequests][place%chunkRequests]
	if q.handle != h {
		return nil
	}
	return q
}

// lock does nothing below MPI_THREAD_MULTIPLE: it would take a tenth of the time of a short message.
func (t *requestTable) lock() {
	if t.many {
		t.mu.Lock()
	}
}

func (t *requestTable) unlock() {
	if t.many {
		t.mu.Unlock()
	}
}

// take returns a request with a new handle. Its other fields are zero. The handle is 0, and
// stands for nothing, if there are a million requests already.
func (t *requestTable) take() *request {
	t.lock()
	q := t.free
	if q != nil {
		t.free, q.next = q.next, nil
		q.handle |= Request(kindRequest)
	} else {
		q = t.grow()
	}
	t.unlock()
	return q
}

// grow returns the request of a place that was never used.
func (t *requestTable) grow() *request {
	if t.used+firstPlace >= 1<<placeBits {
		return &request{}
	}
	var chunks []*[chunkRequests]request
	if old := t.chunks.Load(); old != nil {
		chunks = *old
	}
	if t.used == len(chunks)*chunkRequests {
		chunks = append(chunks[:len(chunks):len(chunks)], new([chunkRequests]request))
		t.chunks.Store(&chunks)
	}
	q := &chunks[t.used/chunkRequests][t.used%chunkRequests]
	q.handle = Request(firstHandle(t.used, kindRequest))
	t.used++
	return q
}

// give takes a request back, unless it is free. Its handle is stale from now on.
func (t *requestTable) give(q *request) {
	t.lock()
	if q.handle&kindMask != 0 { // else a callback of the program has freed it
		q.handle = Request(nextHandle(uintptr(q.handle))) &^ kindMask
		q.r, q.on, q.special = comm.Request{}, nil, nil
		q.next, t.free = t.free, q
	}
	t.unlock()
}
