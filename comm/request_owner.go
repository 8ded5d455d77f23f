package comm

// SetOwner has a request, which is not Over, found by its number: the place of its operation and
// a generation that tells apart the requests that have the same place. The owner
// is whatever the caller knows of the request besides. That ends when the request was waited
// for, freed or left.
func SetOwner(r *Request, owner *any) (place int, generation uint32) {
	return r.r.SetOwner(owner), r.r.Generation()
}

// RequestAt returns the request with an owner that has a place in the rank that c is of. The
// owner is nil if there is none.
func RequestAt(c *Comm, place int) (r Request, generation uint32, owner *any) {
	r.r, owner = c.engine.At(place)
	return r, r.r.Generation(), owner
}
