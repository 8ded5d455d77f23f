package pml

// Requests by number. The face for C gives its program handles, which are numbers. The number of
// a request is the place of its operation among all of the engine, together with the
// operation's generation. So there is no other object for a request that would have to be
// made, found and given back.
//
// The owner is whatever the face knows of a request besides. Who writes what:
//
//   - SetOwner writes owner and unit. The goroutine that has begun the operation calls it, before
//     anybody has the number.
//   - The owner is withdrawn under the lock, when the request was waited for, freed or left: from then on the
//     number stands for nothing.
//   - At reads without the lock. Whoever has the number of a request got it after
//     SetOwner. A wrong number, or one that another goroutine has just made invalid, may name any operation
//     of the engine. The owner is one pointer, so even then At returns one that was set.

// SetOwner gives the request, which stands for an operation, an owner, and returns the place of its operation.
func (r *Request) SetOwner(owner *any) (place int) {
	op := r.op
	op.owner, op.unit = owner, r.Unit
	return int(op.place)
}

// Generation tells apart the requests whose operations have the same place.
func (r *Request) Generation() uint32 { return r.generation }

// At returns the request whose operation is at a place, and its owner; nil if there is none.
func (e *Engine) At(place int) (r Request, owner *any) {
	all := *e.operations.Load()
	if uint(place) >= uint(len(all)) {
		return Request{}, nil
	}
	op := all[place]
	return Request{op: op, generation: op.generation, Unit: op.unit}, op.owner
}
