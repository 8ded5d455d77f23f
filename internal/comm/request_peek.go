package comm

// Peek is Request.Test, but leaves the request as it is: it has to be waited for as before.
//
// MPI 4.1 section 3.7.6 (MPI_Request_get_status).
func Peek(r *Request) (st Status, done bool, err error) {
	e, u := r.engine()
	if e == nil {
		return empty, true, nil
	}
	s, done, err := e.Peek(&r.r)
	return statusIn(u, s), done, Wrap("get status", err)
}

// Leave gives up a request: its operation goes on, and nobody waits for it. A persistent
// request that is not active is freed.
//
// MPI 4.1 section 3.7.3 (MPI_Request_free).
func Leave(r *Request) error {
	if e := r.r.Engine(); e != nil && !r.Active() {
		return r.Free()
	} else if e != nil {
		e.Leave(&r.r)
	}
	*r = Request{}
	return nil
}

// Over tells whether the request stands for nothing, or for a send that was complete when it
// began. A wait for it returns at once, with an empty status.
func Over(r *Request) bool { return r.r.Engine() == nil }

// EmptyStatus returns the status of a send, and of a request that stands for nothing.
func EmptyStatus() Status { return empty }
