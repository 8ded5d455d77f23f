package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// request is what a handle of a request stands for. The handle is the number of the request of
// the packages below, so there is no table of requests. The owner of that request is what else is
// known of it.
type request struct {
	r      comm.Request
	handle Request
	*owner // nil: of MPI_REQUEST_NULL
}

// owner is what is known of a request besides its operation. Messages of a communicator have the
// same one, and so have its collective operations that were begun: to begin one allocates nothing.
type owner struct {
	on         *communicator // whose error handler is asked; nil: MPI_COMM_WORLD's
	persistent bool
	active     bool        // of a persistent request
	collective bool        // it can be neither cancelled nor, while it is active, freed
	own        *comm.Comm  // of a persistent collective operation
	grequest   *grequest   // nil: it is no generalized request
	parts      *partitions // nil: it is no partitioned message
	self       any         // the owner, for the packages below
}

// newOwner completes an owner.
func newOwner(o *owner) *owner {
	o.self = o
	return o
}

// idle tells whether there is nothing to wait for.
func (q request) idle() bool { return q.owner == nil || q.persistent && !q.active }

// generalized returns what a generalized request is; nil for other requests.
func (q request) generalized() *grequest {
	if q.owner == nil {
		return nil
	}
	return q.grequest
}

// partitions returns those of a partitioned message; nil for other requests.
func (q request) partitions() *partitions {
	if q.owner == nil {
		return nil
	}
	return q.parts
}

// done owns all sends that were over when they began. Nobody writes to it.
var done = &owner{}

const doneRequest = Request(firstPlace-1)<<kindBits | Request(kindRequest)

// requestHandle is the handle of a request whose operation has a place, and a generation there; 0,
// which stands for nothing, if there are a million before it. As in table, it differs each time.
func requestHandle(place int, generation uint32) Request {
	if place >= 1<<placeBits-firstPlace {
		return 0
	}
	use := uintptr(generation) & (1<<useBits - 1)
	return Request(use<<(kindBits+placeBits) | firstHandle(place, kindRequest))
}

// request returns the request of a handle.
func (p *Process) request(h Request) (request, error) {
	switch h {
	case REQUEST_NULL:
		return request{}, nil
	case doneRequest:
		return request{handle: h, owner: done}, nil
	}
	if q := p.find(h); q.owner != nil {
		return q, nil
	}
	return request{}, wrongHandle(kindRequest, uintptr(h))
}

// find returns the request of a handle, without an owner if there is none.
func (p *Process) find(h Request) request {
	r, o := comm.RequestAt(p.world.c, placeOf(uintptr(h)), uintptr(h))
	if o == nil {
		return request{}
	}
	return request{r, h, (*o).(*owner)}
}

// begun gives an operation a handle. If there is none left, nobody waits for the operation.
func (p *Process) begun(r comm.Request, o *owner, out Ptr[Request]) error {
	h := doneRequest
	if !comm.Over(&r) {
		if h = requestHandle(comm.Place(&r)); h == 0 {
			_ = r.Cancel() // a receive takes no message any more; all else cannot be cancelled, and goes on
			_ = comm.Leave(&r)
			return fail(ERR_OTHER, "more than a million requests: wait for some of them")
		}
		comm.SetOwner(&r, uintptr(h), &o.self)
	}
	out.Set(h)
	return nil
}

// begin is begun of a message that a call has begun.
func (p *Process) begin(r comm.Request, err error, on *communicator, out Ptr[Request]) error {
	if r, err = comm.Later(on.c, r, err); err == nil {
		err = p.begun(r, on.messages, out)
	}
	return err
}

// prepared gives a persistent operation a handle.
func (p *Process) prepared(r comm.Request, on *communicator, out Ptr[Request]) (*owner, error) {
	o := newOwner(&owner{on: on, persistent: true})
	return o, p.begun(r, o, out)
}

// prepare is prepared of what a call has returned.
func (p *Process) prepare(r comm.Request, err error, on *communicator, out Ptr[Request]) error {
	if err == nil {
		_, err = p.prepared(r, on, out)
	}
	return err
}

// glance is what a look at some requests finds, all of which are messages: how many there are, how many of them are
// complete, and the first one that is.
type glance struct{ active, complete, first int }

// glanceAt looks at requests, until it has seen enough that are complete. known is false if there are none, or one is
// no message, or has failed.
func glanceAt(one *comm.Waits, requests []held, enough int) (g glance, known bool) {
	table, null := one.Messages(), shownNull()
	g.first = -1
	for i, at := range requests {
		if at == null {
			continue
		}
		g.active++
		if h := at.request(); h != doneRequest {
			op := table.Message(placeOf(uintptr(h)), uintptr(h))
			if op == nil || one.Failed(op) {
				return g, false
			}
			if !one.Complete(op) {
				continue
			}
		}
		if g.complete == 0 {
			g.first = i
		}
		if g.complete++; g.complete == enough {
			break
		}
	}
	return g, g.active > 0
}

// look is glanceAt. If no request is complete, or with all fewer than all, it makes progress and looks again. known is
// also false where a test has more to do.
func look(one *comm.Waits, requests []held, enough int, all bool) (g glance, known bool) {
	g, known = glanceAt(one, requests, enough)
	if !known || g.complete == g.active || g.complete > 0 && !all {
		return g, known
	}
	if !one.Look() {
		return g, false
	}
	if g, known = glanceAt(one, requests, enough); known && (g.complete == 0 || all && g.complete < g.active) {
		one.Vain()
	}
	return g, known
}

// takeFirst finishes the first of some requests that is complete, and returns its index; -1: none is. See look for
// known.
func (p *Process) takeFirst(requests []held, status Status) (first int, known bool) {
	if p.traced {
		return -1, false
	}
	out := status.wanted()
	var one comm.Waits
	one.Begin(p.world.c)
	defer one.End() // also if the array is a null pointer
	g, known := look(&one, requests, 1, false)
	if known && g.complete > 0 {
		take(&one, &requests[g.first], out)
	}
	return g.first, known
}

// take finishes a message that is complete.
func take(one *comm.Waits, at *held, out *statusWords) {
	if h := at.request(); h == doneRequest {
		out.setSent()
	} else {
		op := one.Messages().Message(placeOf(uintptr(h)), uintptr(h))
		out.setTaken(op)
		one.Drop(op)
	}
	*at = shownNull()
}

// allOver tells whether all requests are complete. See look for known.
func (p *Process) allOver(requests []held) (over, known bool) {
	if p.traced {
		return false, false
	}
	var one comm.Waits
	one.Begin(p.world.c)
	defer one.End()
	g, known := look(&one, requests, len(requests), true)
	return g.complete == g.active, known
}

// takeSome finishes those of some requests that are complete, and returns how many. See look for known.
func (p *Process) takeSome(requests []held, indices Ints, statuses Statuses) (n int, known bool) {
	if p.traced {
		return 0, false
	}
	var one comm.Waits
	one.Begin(p.world.c)
	defer one.End()
	if _, known = look(&one, requests, len(requests), false); !known {
		return 0, false
	}
	for i := range requests {
		if isComplete(&one, requests[i].request()) {
			take(&one, &requests[i], statuses.At(n).wanted())
			indices.Set(n, i)
			n++
		}
	}
	return n, true
}

// isComplete tells whether a request is that of a message that is complete.
func isComplete(one *comm.Waits, h Request) bool {
	op := one.Messages().Message(placeOf(uintptr(h)), uintptr(h))
	return h == doneRequest || op != nil && one.Complete(op)
}
