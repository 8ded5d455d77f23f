package pml

import "sync/atomic"

// Requests by handle. Package capi gives its program handles, which are numbers. It makes them of
// the place of a request's operation among all of the engine, and of the generation there. So there
// is no other object for a request that would have to be made, found and given back.
//
// The owner is the record that package capi has of a request. Who writes what:
//
//   - SetOwner writes owner and unit, and then the handle. The goroutine that has begun the operation calls
//     it, before anybody has the handle.
//   - When the request stands for nothing any more, or was left, the handle becomes 0 under the
//     lock, and then the generation grows: from then on the request is not found. The owner may stay until there
//     is another one: discard clears it, drop does not.
//   - At, Owner and Message read without the lock. They read the handle first, and read nothing else if it differs. The
//     atomic read of the handle orders what SetOwner wrote, and what made the operation, before the reads that
//     follow. The operation next changes after a wait for the request, and the program orders that wait after
//     the reads.
//
// An erroneous program may wait for a request in one thread while another thread uses its handle. Then these reads
// race with changes, but each word is one that was set. At reads the handle again after the generation: if the
// generation is that of the next request, the handle has changed before.
//
// Only the handle is written while other threads may read it. If one thread alone calls the engine, it writes the
// handle without an atomic operation, which would cost time; an atomic read costs none.

// setHandle writes a handle that differs from the one before: requests of ranks in Go have none, and pay for none.
// alone says that one thread calls the engine.
func (op *operation) setHandle(handle uintptr, alone bool) {
	switch {
	case op.has(handle):
	case alone:
		op.handle = handle
	default:
		atomic.StoreUintptr(&op.handle, handle)
	}
}

// has tells whether the operation has the handle.
func (op *operation) has(handle uintptr) bool { return atomic.LoadUintptr(&op.handle) == handle }

// Place is the place of the operation, for which the request stands, and Generation tells apart
// the requests whose operations have the same place.
func (r *Request) Place() int         { return int(r.op.place) }
func (r *Request) Generation() uint32 { return r.generation }

// SetOwner gives the request, which stands for an operation, a handle other than 0 and an owner.
func (r *Request) SetOwner(handle uintptr, owner *any) {
	op := r.op
	op.owner, op.unit = owner, r.Unit
	op.setHandle(handle, op.engine.threads.one)
}

// Op is the operation of a request that has a handle, and so knows it by its place.
type Op operation

// Status is that of an operation that is complete. Unit is what SetOwner was given.
func (op *Op) Status() *Status { return &op.status }
func (op *Op) Unit() uint32    { return op.unit }

// Table are all operations of an engine, by their places. It has those of all handles that were
// given out before.
type Table struct{ all places }

// Table returns the operations that there are.
func (e *Engine) Table() Table { return Table{*e.p.pool.table.Load()} }

// Message returns the operation with a handle at a place if it is a message that ends with its wait;
// else nil.
func (t Table) Message(place int, handle uintptr) *Op {
	if op := t.find(place, handle); op != nil && op.plain() {
		return (*Op)(op)
	}
	return nil
}

// find returns the operation with a handle at a place; nil if there is none.
func (t Table) find(place int, handle uintptr) *operation {
	if uint(place) < uint(len(t.all)) {
		if op := t.all[place].Load(); op.has(handle) {
			return op
		}
	}
	return nil
}

// At returns the request whose operation is at a place and has a handle, and its owner; nil if
// there is none.
func (t Table) At(place int, handle uintptr) (r Request, owner *any) {
	op := t.find(place, handle)
	if op == nil {
		return Request{}, nil
	}
	r, owner = Request{op: op, generation: op.generation, Unit: op.unit}, op.owner
	if !op.has(handle) {
		return Request{}, nil
	}
	return r, owner
}

// Owner is At for the owner alone.
func (t Table) Owner(place int, handle uintptr) *any {
	if op := t.find(place, handle); op != nil {
		return op.owner
	}
	return nil
}
