package capi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// collective is a collective operation that is to be done, begun or prepared. Three functions of
// C have one method of Process: MPI_X runs what the method has made, MPI_IX begins it, and
// MPI_X_init prepares it. The method fills in its *collective, which lies on the stack of
// dispatchCollective. It returns an error if the call is refused: see refused.
//
// A method reads only the arguments that are significant at this rank (MPI 4.1 chapter 6). The table is in
// programs/testdata/significant.h.
type collective struct {
	on    *communicator // nil: the handle is wrong
	name  string
	args  coll.Args
	edges *comm.NeighborCall // the call is one of messages along edges; nil: it is args
	apart bool               // the call is one along edges; set before edges, so that a refused call has it, too
	lists *lists             // of args, nil: none yet
}

// lists is memory for the counts and displacements of a collective operation. A communicator keeps
// it from call to call. A call that fails does not give it back, since other ranks may still read
// it.
type lists struct {
	free []int // what is left of
	all  []int
}

// list returns memory for n numbers.
func (k *collective) list(n int) []int {
	if k.lists == nil {
		if k.lists = k.on.lists.Swap(nil); k.lists == nil { // first call, or another is underway
			k.lists = &lists{all: make([]int, 4*k.on.c.Size())}
		}
		k.lists.free = k.lists.all
	}
	list := k.lists.free[:n:n]
	k.lists.free = k.lists.free[n:]
	return list
}

// run does the operation, and blocks.
func (k *collective) run(err error) error {
	switch {
	case err != nil:
		return k.refused(err, comm.NeighborCall.Run, comm.Call.Run)
	case k.edges != nil:
		return k.edges.Run()
	}
	err = comm.RunCollective(k.on.c, k.name, &k.args)
	if k.lists != nil && err == nil {
		k.on.lists.Store(k.lists)
	}
	return err
}

// begin begins the operation and gives its request a handle.
func (k *collective) begin(p *Process, out Ptr[Request], err error) error {
	if err == nil {
		err = noRequest(out)
	}
	if err != nil {
		return k.refused(err, begun(comm.NeighborCall.Begin), begun(comm.Call.Begin))
	}
	var r comm.Request
	if k.edges != nil {
		r, err = k.edges.Begin()
	} else {
		r, err = comm.BeginCollective(k.on.c, k.name, &k.args)
	}
	if r, err = comm.Later(k.on.c, r, err); err == nil {
		err = p.begun(r, k.on.collectives, out)
	}
	return err
}

// noRequest returns an error if there is no memory for the request.
func noRequest(out Ptr[Request]) error {
	if out.addr < firstPage {
		return fail(ERR_ARG, "the request is a null pointer: pass memory that MPI can write")
	}
	return nil
}

// begun is begin for a call that is refused: there is no request.
func begun[T any](begin func(T) (comm.Request, error)) func(T) error {
	return func(call T) error {
		_, err := begin(call)
		return err
	}
}

// prepare makes a persistent request for the operation. Ranks may start persistent operations
// in different orders, so each operation has a communicator of its own. All ranks make
// persistent operations in the same order.
func (k *collective) prepare(p *Process, info Info, out Ptr[Request], err error) error {
	if err == nil {
		err = noRequest(out)
	}
	if err == nil {
		_, err = p.hints(info)
	}
	switch {
	case err != nil:
		return k.refused(err, comm.NeighborCall.Verify, comm.Call.Verify)
	case k.edges != nil:
		err = k.edges.Verify()
	default:
		err = comm.Call{Comm: k.on.c, Op: k.name, Args: k.args}.Verify()
	}
	if err != nil {
		return err
	}
	return p.prepareApart(k.on, func(own *comm.Comm) (comm.Request, error) {
		if k.edges != nil {
			k.edges.Comm = own
			return k.edges.Prepare()
		}
		return comm.Call{Comm: own, Op: k.name, Args: k.args}.Prepare()
	}, out)
}

// prepareApart gives the request of what is prepared on a duplicate of a communicator a handle.
func (p *Process) prepareApart(on *communicator, prepare func(*comm.Comm) (comm.Request, error),
	out Ptr[Request]) error {
	own, err := on.c.Dup()
	if err != nil {
		return err
	}
	comm.BelongsTo(own, "") // requests that are left are told of by themselves
	r, err := prepare(own)
	if err != nil {
		return errors.Join(err, own.Free())
	}
	o, err := p.prepared(r, on, out)
	if err != nil {
		return errors.Join(err, own.Free())
	}
	o.own, o.collective = own, true
	return nil
}

// refused returns the error of a call that is refused. The hang report has the error, and the other ranks learn of it:
// so the call is made with it, by apart or call.
func (k *collective) refused(err error, apart func(comm.NeighborCall) error, call func(comm.Call) error) error {
	switch {
	case k.on == nil:
	case k.edges != nil:
		k.edges.Wrong = err
		_ = apart(*k.edges)
	case k.apart:
		_ = apart(comm.NeighborCall{Comm: k.on.c, Op: k.name, Exchange: coll.Exchange{Wrong: err, Across: true}})
	default:
		_ = call(comm.Call{Comm: k.on.c, Op: k.name, Args: coll.Args{Kind: k.args.Kind, Wrong: err}})
	}
	return err
}

// of says which operation on which communicator it is.
func (k *collective) of(p *Process, kind coll.Kind, c Comm) (on *communicator, err error) {
	if on, err = p.comm(c); err != nil {
		return nil, err
	}
	k.on, k.name, k.args.Kind, k.args.Mixed = on, kind.String(), kind, true
	k.apart = kind != coll.Barrier && on.inter()
	return on, nil
}

// rooted is of for a call with a root.
func (k *collective) rooted(p *Process, kind coll.Kind, root int, c Comm) (*communicator, error) {
	on, err := k.of(p, kind, c)
	switch {
	case err != nil:
		return nil, err
	case k.apart && (root == ROOT || root == PROC_NULL):
		return on, nil
	}
	k.args.Root = root
	return on, on.hasRoot(root)
}

// hasRoot returns an error unless there is such a rank.
func (c *communicator) hasRoot(root int) error {
	if ranks := c.peers(); root < 0 || root >= ranks {
		return fail(ERR_ROOT, "root %d is outside of 0..%d", root, ranks-1)
	}
	return nil
}

// peers is the number of ranks that blocks come from and go to.
func (c *communicator) peers() int {
	if g := comm.RemoteGroup(c.c); g != nil {
		return g.Size()
	}
	return c.c.Size()
}

// notInPlace returns an error for an address that cannot be MPI_IN_PLACE.
func notInPlace(at Address) error {
	if at == IN_PLACE {
		return fail(ERR_BUFFER, "MPI_IN_PLACE is not possible here")
	}
	return nil
}

// across makes the call one over an intercommunicator. Sides are nil where nothing goes there.
func (k *collective) across(out, in []comm.Buffer) error {
	edges := comm.Across(k.on.c, k.name, out, in, coll.Hooks{})
	k.edges = &edges
	return nil
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
