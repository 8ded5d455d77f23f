package pml

// Requests by handle. Package capi gives its program handles, which are numbers. It makes them of
// the place of a request's operation among all of the engine, and of the generation there. So there
// is no other object for a request that would have to be made, found and given back.
//
// The owner is the record that package capi has of a request. Who writes what:
//
//   - SetOwner writes owner, unit and handle. The goroutine that has begun the operation calls
//     it, before anybody has the handle.
//   - When the request stands for nothing any more, or was left, the handle becomes 0 under the
//     lock: from then on the request is not found. The owner may stay until there is another one: discard clears it, drop does not.
//   - At reads without the lock. Whoever has the handle of a request got it after SetOwner.
//     A handle that is wrong, or that another goroutine makes invalid meanwhile, may lead to
//     the request of another. The owner is one pointer, so even then it is one that was set.

// Place is the place of the operation, for which the request stands, and Generation tells apart
// the requests whose operations have the same place.
func (r *Request) Place() int         { return int(r.op.place) }
func (r *Request) Generation() uint32 { return r.generation }

// SetOwner gives the request, which stands for an operation, a handle other than 0 and an owner.
func (r *Request) SetOwner(handle uintptr, owner *any) {
	op := r.op
	op.handle, op.owner, op.unit = handle, owner, r.Unit
}

// At returns the request whose operation is at a place and has a handle, and its owner; nil if
// there is none.
func (e *Engine) At(place int, handle uintptr) (r Request, owner *any) {
	op := e.operation(place, handle)
	if op == nil {
		return Request{}, nil
	}
	return Request{op: op, generation: op.generation, Unit: op.unit}, op.owner
}

// Owner is At for the owner alone.
func (e *Engine) Owner(place int, handle uintptr) *any {
	if op := e.operation(place, handle); op != nil {
		return op.owner
	}
	return nil
}

// operation returns that of At.
func (e *Engine) operation(place int, handle uintptr) *operation {
	if all := *e.operations.Load(); uint(place) < uint(len(all)) && all[place].handle == handle {
		return all[place]
	}
	return nil
}

// Op is the operation of a request that has a handle, and so knows it by its place.
type Op operation

// Place and Generation are those of Request.
func (op *Op) Place() int         { return int(op.place) }
func (op *Op) Generation() uint32 { return op.generation }

// SetOwner is Request.SetOwner.
func (op *Op) SetOwner(handle uintptr, owner *any, unit uint32) {
	op.handle, op.owner, op.unit = handle, owner, unit
}

// Status is that of an operation that is complete. Unit is what SetOwner was given.
func (op *Op) Status() *Status { return &op.status }
func (op *Op) Unit() uint32    { return op.unit }

// Table are all operations of an engine, by their places. It has those of all handles that were
// given out before.
type Table struct{ all []*operation }

// Table returns the operations that there are.
func (e *Engine) Table() Table { return Table{*e.operations.Load()} }

// Message returns the operation with a handle at a place if it is a message that ends with its wait;
// else nil.
func (t Table) Message(place int, handle uintptr) *Op {
	if uint(place) < uint(len(t.all)) {
		if op := t.all[place]; op.handle == handle && op.plain() {
			return (*Op)(op)
		}
	}
	return nil
}
