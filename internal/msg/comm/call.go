package comm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/pml"
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
// call nevertheless: it is refused, and the other ranks hear of it.
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

// Prepare makes a persistent request for it. All ranks wait for one another.
func (k Call) Prepare() (Request, error) {
	if isView(k.Comm) {
		k.Comm = k.Comm.bound.of
	}
	if err := k.Verify(); err != nil {
		return Request{}, err
	}
	g, err := k.Comm.team.Graph(k.Args)
	r, err := k.Comm.prepare(g, Bare(err))
	return r, persistentError(k.Op, err)
}

// Verify returns what is wrong with it at any rank, and does not do it. All ranks call it.
func (k Call) Verify() error {
	if err := k.Comm.enter(k.Op); err != nil {
		return persistentError(k.Op, err)
	}
	err := Bare(k.Comm.team.Verify(&k.Args))
	leave(k.Comm, "", &err)
	return persistentError(k.Op, err)
}

// ErrRace means that goroutines or threads of a rank were in collective operations of one communicator at a time.
var ErrRace = errors.New("all ranks must make the calls of a communicator in one order, and nothing orders these: " +
	"give each goroutine or thread a communicator of its own (Dup, in C MPI_Comm_dup), " +
	"or let one call return before the other is made")

// enter lets a goroutine in that makes a call. After nil it leaves at the end of its operation. The call is also made
// on a communicator that other calls are refused on with one of the errors.
func (c *Comm) enter(call string, despite ...error) error {
	if c != nil && c.channel != nil {
		c.channel.AwaitStandIn(nil)
	}
	return enterBeside(c, call, despite...)
}

// enterBeside is enter for a call that does not wait for standIn.
func enterBeside(c *Comm, call string, despite ...error) error {
	if c == nil {
		return ErrNoComm
	}
	if err := pml.MayWait(); err != nil {
		return err
	}
	if !c.entry.Enter(call) {
		race(c, call)
	}
	err := c.usable()
	if slices.ContainsFunc(despite, func(allowed error) bool { return errors.Is(err, allowed) }) {
		err = nil
	}
	if err != nil {
		c.entry.Leave()
	}
	return err
}

// race enters behind another call. The report of a hang says so meanwhile: the other one may have met a different call
// of another rank.
func race(c *Comm, call string) {
	if c.engine != nil && len(c.members.ranks) > 1 {
		note := fmt.Sprintf("%s on %s: another goroutine or thread is in a call there", call, called(c))
		defer c.engine.NoteRefusal(&note)()
	}
	c.entry.Race(call)
}

// leave ends the call of enter. If another one was made at the same time the error says so. With the name of an
// operation the error gets that.
func leave(c *Comm, op string, err *error) {
	other := c.entry.Leave()
	if other == "" || len(c.members.ranks) == 1 {
		return
	}
	raced := fmt.Errorf("another goroutine or thread of this rank was in %s on %s at the same time: %w",
		other, called(c), ErrRace)
	if *err != nil {
		raced = fmt.Errorf("%w; besides, %w", raced, Bare(*err))
	}
	if *err = raced; op != "" {
		*err = Wrap(op, raced)
	}
}

// called names a communicator.
func called(c *Comm) string {
	if name := c.Name(); name != "" {
		return strconv.Quote(name)
	}
	return fmt.Sprintf("a communicator without a name (context %d)", c.context)
}

// RunCollective does a collective operation, and blocks. op is its name in errors.
func RunCollective(c *Comm, op string, a *coll.Args) error {
	var err error
	alone := c.made() == nil && c.engine.Threads().Alone() // then nobody else can be inside
	if alone {
		err = c.mayCall()
	} else {
		err = c.enter(op)
	}
	if err != nil {
		if isView(c) {
			held := *a // the operation may outlive this call
			return c.bound.collective(op, func(t *coll.Team) error { return t.Run(&held) })
		}
		return Wrap(op, err)
	}
	err = c.team.Run(a)
	standInOwed(c)
	if err != nil {
		err = Wrap(op, Bare(err))
	}
	if !alone {
		leave(c, op, &err)
	}
	return err
}

// standInOwed calls standIn for a call that blocks, if this rank was refused it.
func standInOwed(c *Comm) {
	if owed := c.team.Owed(); owed != nil {
		standIn(c, owed.StandIn)
	}
}

// standIn has another goroutine take part in a call that this rank was refused. Later calls on the communicator wait
// for that before they enter. Finalize waits for its end, after it has ended the wait for a call that nobody makes.
func standIn(c *Comm, takePart func()) {
	c.engine.Threads().EndOne()
	over := c.channel.BeginStandIn()
	c.contexts.standIns.Go(func() {
		takePart()
		over()
	})
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
	if err := c.enter(call); err != nil {
		return Wrap(call, err)
	}
	c.team.Called = call
	err := Wrap(call, Bare(c.team.Run(a)))
	c.team.Called = ""
	standInOwed(c)
	leave(c, call, &err)
	return err
}

// Tell tells all ranks mine, a value without pointers, and returns what each of them has told. call is that of RunPart.
func Tell[T any](c *Comm, call string, mine T) ([]T, error) {
	all := make([]T, c.Size())
	err := RunPart(c, call, telling(mine, all))
	return all, err
}

// telling is the operation of Tell.
func telling[T any](mine T, all []T) *coll.Args {
	send := bytesOf([]T{mine})
	return &coll.Args{Kind: coll.Allgather, Send: coll.Buffer{Data: send},
		Recv: coll.Buffer{Data: bytesOf(all), Block: len(send)}}
}

// BeginCollective begins a nonblocking operation. op is its name in errors.
func BeginCollective(c *Comm, op string, a *coll.Args) (Request, error) {
	if err := c.made(); err != nil {
		return Request{}, nonblockingError(op, err)
	}
	if isView(c) {
		if err := c.bound.ended(); err != nil {
			return Request{}, nonblockingError(op, err)
		}
		c = c.bound.of
	}
	if err := pml.MayWait(); err != nil {
		return Request{}, nonblockingError(op, err)
	}
	c.channel.AwaitStandIn(nil)
	if c.entry.Held().Load() != 0 {
		return beginCallBehind(c, op, a)
	}
	r, err := begin(c, a, c.entry.Held())
	if errors.Is(err, coll.ErrHeld) {
		return beginCallBehind(c, op, a)
	}
	return r, nonblockingError(op, err)
}

func beginCallBehind(c *Comm, op string, a *coll.Args) (Request, error) {
	r, err := beginBehind(c, "i"+op, func() (Request, error) { return begin(c, a, nil) })
	return r, nonblockingError(op, err)
}

// held tells whether a call that blocks is inside: an operation that does not block is then begun behind it, unless an
// operator begins it.
func held(c *Comm) bool { return c.entry.Held().Load() != 0 && pml.MayWait() == nil }

// begin begins a nonblocking operation, unless held says that a blocking one is inside; nil: this goroutine is.
func begin(c *Comm, a *coll.Args, held *atomic.Uint32) (Request, error) {
	if x := c.team.Short(a); x != nil {
		return c.beginShort(x, held)
	}
	g, err := c.team.GraphOnce(a)
	return c.issueCall(g, Bare(err), nil)
}

// beginBehind makes a nonblocking operation that has found a blocking one inside: see entry. Its caller gets an error,
// so it also ends it.
func beginBehind(c *Comm, call string, begin func() (Request, error)) (r Request, err error) {
	race(c, call)
	if err = c.usable(); err == nil {
		r, err = begin()
	}
	if err == nil {
		_, err = r.Wait()
	}
	leave(c, "", &err)
	return Request{}, err
}

func barrierOf(c *Comm) Call {
	return Call{Comm: c, Op: "barrier", Args: coll.Args{Kind: coll.Barrier}}
}

// Barrier returns nil when all ranks have called it.
func (c *Comm) Barrier() error {
	return RunCollective(c, "barrier", &coll.Args{Kind: coll.Barrier})
}

// Ibarrier is Barrier, nonblocking.
func (c *Comm) Ibarrier() (Request, error) { return barrierOf(c).Begin() }

// BarrierInit makes a Barrier persistent.
func (c *Comm) BarrierInit() (Request, error) { return barrierOf(c).Prepare() }

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
