package comm

import (
	"errors"

	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/pml"
)

// ErrOverlap means that the send and the receive buffer of a call have elements in common, and, of a
// collective operation, that the send buffer is not nil.
var ErrOverlap = coll.ErrOverlap

// ErrTwice means that a call that is checked receives into some memory twice.
var ErrTwice = coll.ErrTwice

// Operate calls an operator of the program. It returns the error, ErrOperator, that a call of it was refused with.
func Operate(apply func()) error { return pml.Operate(apply) }

// Operating tells whether operators run. A call of theirs may panic with ErrOperator: see CatchRefusal.
func Operating() bool { return pml.Operating() }

// CatchRefusal is deferred by a call that an operator may have made. It has it return the error.
func CatchRefusal(err *error) {
	v := recover()
	if refused, ok := v.(error); ok && errors.Is(refused, pml.ErrOperator) {
		*err = refused
	} else if v != nil {
		panic(v)
	}
}

// Call is a collective operation that is to be done, begun or prepared. It is some
// hundreds of bytes, and to copy it from function to function took a fifth of the time of
// a short operation: so it is filled in where it is returned, and its Args are handed down
// by reference. A face that has no Call passes its Args to RunCollective and BeginCollective.
//
// A face that finds something wrong with the arguments says so in Args.Wrong and makes the
// call nevertheless: it is refused, and if calls are checked the other ranks hear of it.
type Call struct {
	Comm *Comm
	Op   string // its name in errors
	Args coll.Args
}

// Set says which operation it is, and returns the arguments to be filled in.
func (k *Call) Set(c *Comm, op string, kind coll.Kind) *coll.Args {
	k.Comm, k.Op, k.Args.Kind = c, op, kind
	return &k.Args
}

// Run does it, and blocks.
func (k Call) Run() error { return RunCollective(k.Comm, k.Op, &k.Args) }

// Begin begins it as a nonblocking operation.
func (k Call) Begin() (Request, error) { return BeginCollective(k.Comm, k.Op, &k.Args) }

// Prepare makes a persistent request for it. If calls are checked, all ranks wait for one another.
func (k Call) Prepare() (Request, error) {
	if err := k.Verify(); err != nil {
		return Request{}, err
	}
	g, err := k.Comm.team.Graph(k.Args)
	r, err := k.Comm.prepare(g, Bare(err))
	return r, persistentError(k.Op, err)
}

// Verify returns what is wrong with it, and does not do it. If calls are checked it is a call of all ranks.
func (k Call) Verify() error {
	if err := k.Comm.lockCollective(); err != nil {
		return persistentError(k.Op, err)
	}
	defer k.Comm.mu.Unlock()
	return persistentError(k.Op, Bare(k.Comm.team.Verify(&k.Args)))
}

// RunCollective does a collective operation, and blocks. op is its name in errors.
func RunCollective(c *Comm, op string, a *coll.Args) error {
	var err error
	alone := c.made() == nil && c.engine.Alone() // then nobody else can have the lock
	if alone {
		err = c.mayCall()
	} else {
		err = c.lockCollective()
	}
	if err != nil {
		return Wrap(op, err)
	}
	err = c.team.Run(a)
	if !alone {
		c.mu.Unlock()
	}
	if err != nil {
		err = Wrap(op, Bare(err))
	}
	return err
}

// mayCall returns an error if the communicator is of no use, or if an operator makes the call.
func (c *Comm) mayCall() error {
	if err := pml.MayWait(); err != nil {
		return err
	}
	return c.usable()
}

// RunPart is RunCollective of an operation that is a part of another call, whose name the report of a hang has.
func RunPart(c *Comm, call string, a *coll.Args) error {
	if err := c.lockCollective(); err != nil {
		return Wrap(call, err)
	}
	defer c.mu.Unlock()
	c.team.Called = call
	return Wrap(call, Bare(c.team.Run(a)))
}

// BeginCollective begins a nonblocking operation. op is its name in errors.
func BeginCollective(c *Comm, op string, a *coll.Args) (Request, error) {
	if err := c.made(); err != nil {
		return Request{}, nonblockingError(op, err)
	}
	if err := pml.MayWait(); err != nil {
		return Request{}, nonblockingError(op, err)
	}
	if x := c.team.Short(a); x != nil {
		r, err := c.beginShort(x)
		return r, nonblockingError(op, err)
	}
	g, err := c.team.GraphOnce(a)
	r, err := c.issue(g, Bare(err))
	return r, nonblockingError(op, err)
}

// Barrier returns nil when all ranks have called it.
func (c *Comm) Barrier() error {
	return RunCollective(c, "barrier", &coll.Args{Kind: coll.Barrier})
}

// Ibarrier is Barrier, nonblocking.
func (c *Comm) Ibarrier() (Request, error) { return c.barrierCall().Begin() }

// BarrierInit makes a Barrier persistent.
func (c *Comm) BarrierInit() (Request, error) { return c.barrierCall().Prepare() }

func (c *Comm) barrierCall() Call {
	return Call{Comm: c, Op: "barrier", Args: coll.Args{Kind: coll.Barrier}}
}

// Bare takes off an error what names the operation. One that names none stays: it is never nil if err is not.
func Bare(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
}

// Algorithm returns the name of the algorithm of the last collective operation on the communicator,
// but for those of neighbours; to be called by the goroutine that made the call.
func (c *Comm) Algorithm() string {
	if c.made() != nil {
		return ""
	}
	return c.team.Last()
}
