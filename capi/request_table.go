package capi

import (
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/comm"
)

// request is what a handle of a request stands for.
type request struct {
	handle     Request // while the place is free: of no kind, so that nothing finds it
	r          comm.Request
	on         *communicator // whose error handler is asked
	persistent bool
	active     bool
	collective bool
	start      func() (comm.Request, error) // of a persistent request that is begun anew each time; nil: r is started
	own        *comm.Comm                   // of a persistent collective operation
	grequest   *grequest                    // nil: it is no generalized request
	parts      *partitions                  // nil: it is no partitioned message
	next       *request                     // in the free list
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
		*q = request{handle: Request(nextHandle(uintptr(q.handle))) &^ kindMask, next: t.free}
		t.free = q
	}
	t.unlock()
}
