package capi

import "github.com/gopvas/gopvas/comm"

// grequest is a generalized request: an operation of the program.
type grequest struct {
	g                   *comm.Generalized
	query, free, cancel uintptr
	extra               Address
	complete            bool
	freed               bool // the program has freed the request
}

// Grequest_start is MPI_Grequest_start.
func (p *Process) Grequest_start(query, free, cancel Func, extra Address, out Ptr[Request]) error {
	g, r, err := comm.NewGeneralized(p.world.c)
	if err != nil {
		return err
	}
	p.begun(r, newOwner(&owner{on: p.self, grequest: &grequest{
		g: g, query: query.Entry, free: free.Entry, cancel: cancel.Entry, extra: extra,
	}}), out)
	return nil
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
	g.complete = true
	g.g.Complete()
	if g.freed {
		return p.leaveGeneralized(q)
	}
	return nil
}

// queryStatus asks the program for the status.
func (p *Process) queryStatus(g *grequest, status Status) error {
	cells := newCells(statusSize / 8)
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
	return p.callbackError(Upcall(g.free, []uintptr{uintptr(g.extra)}))
}

func (p *Process) cancelGeneralized(g *grequest) error {
	complete := uintptr(0)
	if g.complete {
		complete = 1
	}
	return p.callbackError(Upcall(g.cancel, []uintptr{uintptr(g.extra), complete}))
}

// leaveGeneralized is for a request that the program frees. It goes when it is complete.
func (p *Process) leaveGeneralized(q request) error {
	g := q.grequest
	if g.freed = true; !g.complete {
		return nil
	}
	if err := comm.Leave(&q.r); err != nil {
		return err
	}
	return p.freeGeneralized(g)
}
