package comm

import "github.com/gopvas/gopvas/internal/pml"

// Place tells where a request stands that is not Over: the place of its operation in the rank, and
// a generation that tells apart the requests that have the same place.
func Place(r *Request) (place int, generation uint32) { return r.r.Place(), r.r.Generation() }

// SetOwner has a request that is not Over found by its place and a handle other than 0. A wait for
// it ends that unless it is persistent; to free or leave it does. The owner is the caller's own record.
func SetOwner(r *Request, handle uintptr, owner *any) { r.r.SetOwner(handle, owner) }

// RequestAt returns the request that has a place in the rank that c is of, and a handle, and its
// owner; nil if there is none.
func RequestAt(c *Comm, place int, handle uintptr) (r Request, owner *any) {
	r.r, owner = c.engine.Table().At(place, handle)
	return r, owner
}

// An Operation is what a request stands for, as Messages finds it.
type Operation = pml.Op

// Messages are the operations of the rank that c is of, which their handles find.
func Messages(c *Comm) pml.Table { return c.engine.Table() }

// OwnerAt is RequestAt for the owner alone.
func OwnerAt(c *Comm, place int, handle uintptr) *any { return c.engine.Table().Owner(place, handle) }

// Told is what the status of a complete message says, if that is simple: a message of the world has come.
func Told(op *Operation) (source, tag, bytes int, simple bool) {
	st := op.Status()
	return st.Source, st.Tag, int(st.Bytes), int(int32(op.Unit()))|st.Source|st.Tag >= 0 && !st.Cancelled
}
