package capi

import (
	"errors"

	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// collective is a collective operation that is to be done, begun or prepared, or the error of
// one that can not be. Of an error the other ranks do not learn.
type collective struct {
	on    *communicator
	args  coll.Args
	edges *comm.NeighborCall // messages along edges instead
	name  string
	err   error
}

// failed is a call that can not be made.
func failed(err error) *collective { return &collective{err: err} }

func (k *collective) call() comm.Call { return comm.Call{Comm: k.on.c, Op: k.name, Args: k.args} }

// run does the operation, and blocks.
func (k *collective) run() error {
	switch {
	case k.err != nil:
		return k.err
	case k.edges != nil:
		return k.edges.Run()
	}
	return k.call().Run()
}

// begin begins the operation and gives its request a handle.
func (k *collective) begin(p *Process, out Ptr[Request]) error {
	if k.err != nil {
		return k.err
	}
	var r comm.Request
	var err error
	if k.edges != nil {
		r, err = k.edges.Begin()
	} else {
		r, err = k.call().Begin()
	}
	return p.begin(r, err, k.on, out)
}

// prepare makes a persistent request for the operation. Ranks may start persistent operations
// in different orders, so each operation has a communicator of its own. All ranks make
// persistent operations in the same order.
func (k *collective) prepare(p *Process, info Info, out Ptr[Request]) error {
	if k.err != nil {
		return k.err
	}
	if _, err := p.hints(info); err != nil {
		return err
	}
	own, err := k.on.c.Dup()
	if err != nil {
		return err
	}
	var r comm.Request
	if k.edges != nil {
		k.edges.Comm = own
		r, err = k.edges.Prepare()
	} else {
		call := k.call()
		call.Comm = own
		r, err = call.Prepare()
	}
	if err != nil {
		return errors.Join(err, own.Free())
	}
	p.prepared(r, k.on, out).own = own
	return nil
}

// rooted returns the communicator of a call with a root.
func (p *Process) rooted(c Comm, root int) (*communicator, error) {
	on, err := p.comm(c)
	switch {
	case err != nil:
		return nil, err
	case on.inter() && (root == ROOT || root == PROC_NULL):
		return on, nil
	}
	ranks := on.c.Size()
	if on.inter() {
		ranks = comm.RemoteGroup(on.c).Size()
	}
	if root < 0 || root >= ranks {
		return nil, fail(ERR_ROOT, "root %d is outside of 0..%d", root, ranks-1)
	}
	return on, nil
}

// peers is the number of ranks that blocks come from and go to.
func (c *communicator) peers() int {
	if g := comm.RemoteGroup(c.c); g != nil {
		return g.Size()
	}
	return c.c.Size()
}

// notInPlace returns an error for an address that can not be MPI_IN_PLACE.
func notInPlace(at Address) error {
	if at == IN_PLACE {
		return fail(ERR_BUFFER, "MPI_IN_PLACE is not possible here")
	}
	return nil
}

// across makes a call over an intercommunicator. Sides are nil where nothing goes there.
func (c *communicator) across(name string, out, in []comm.Buffer) *collective {
	k := comm.Across(c.c, name, out, in, coll.Hooks{})
	return &collective{on: c, name: name, edges: &k}
}

// only is a list of buffers of which one rank has any.
func (c *communicator) only(rank int, b comm.Buffer) []comm.Buffer {
	list := make([]comm.Buffer, c.peers())
	list[rank] = b
	return list
}

// each is a list of the same buffer for all.
func (c *communicator) each(b comm.Buffer) []comm.Buffer {
	list := make([]comm.Buffer, c.peers())
	for i := range list {
		list[i] = b
	}
	return list
}
