package comm

import (
	"errors"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Generalized is an operation that the program does by itself. A request stands for it in all
// calls, and is complete when the program says that the operation is.
//
// MPI 4.1 section 13.2.
type Generalized struct {
	engine *pml.Engine
	over   atomic.Bool
}

// NewGeneralized begins a generalized operation.
//
// MPI 4.1 section 13.2 (MPI_Grequest_start).
func NewGeneralized(c *Comm) (*Generalized, Request, error) {
	const op = "start generalized request"
	if err := c.usable(); err != nil {
		return nil, Request{}, Wrap(op, err)
	}
	g := &Generalized{engine: c.engine}
	r, err := c.engine.Begin(generalizedTask{g}, c.context)
	return g, Request{r}, Wrap(op, err)
}

// Complete says that the operation is over, and wakes those who wait for it. Any goroutine may
// call it, once.
//
// MPI 4.1 section 13.2 (MPI_Grequest_complete).
func (g *Generalized) Complete() {
	g.over.Store(true)
	g.engine.Progress() // asks the task, which completes the request
}

// generalizedTask is a Generalized as the engine sees it.
type generalizedTask struct{ *Generalized }

func (generalizedTask) Start() error              { return nil }
func (generalizedTask) Release()                  {}
func (t generalizedTask) Progress() (bool, error) { return t.over.Load(), nil }
func (generalizedTask) Describe(*job.Waiting)     {}

// Later returns what a call has returned that begins an operation on c. In a job that survives, a failure or a
// revocation is no error of that call: its request is complete with it.
//
// MPI Forum issue 20.
func Later(c *Comm, r Request, err error) (Request, error) {
	if err == nil || !isLost(err) && !errors.Is(err, ErrRevoked) || !job.Survives(c.root) {
		return r, err
	}
	failed, none := c.engine.BeginBy(nonblocking.of(idOf(c.context)), func() pml.Task { return failedTask{err} })
	if none != nil {
		return r, err
	}
	return Request{failed}, nil
}

// failedTask is an operation that has failed when it began.
type failedTask struct{ err error }

func (failedTask) Start() error              { return nil }
func (failedTask) Release()                  {}
func (t failedTask) Progress() (bool, error) { return true, t.err }
func (failedTask) Describe(*job.Waiting)     {}
