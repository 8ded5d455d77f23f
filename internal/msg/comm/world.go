package comm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/attendant"
	"github.com/gopvas/gopvas/internal/msg/btl/pvasbtl"
	"github.com/gopvas/gopvas/internal/msg/btl/sm"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/exit"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// world is what this process is in its job. It is never taken away again: peers
// may read the memory that its windows keep reachable as long as the job lives.
var world struct {
	mu     sync.Mutex
	init   bool
	failed error // of the only attempt: what it has taken of the job cannot be taken again
	comm   *Comm

	attendant *attendant.Attendant // nil: pvasrun has started this process
}

// Init makes this process a rank of the job that it was started in. If pvasrun did not start it,
// it gets a job of its own. Init returns the communicator of the ranks started with it (MPI_COMM_WORLD). It is
// tried once: after a failure each later call returns the same error.
//
// MPI 4.1 section 11.2.1.
func Init(ops Operators) (*Comm, error) {
	world.mu.Lock()
	defer world.mu.Unlock()
	switch {
	case world.failed != nil:
		return nil, world.failed
	case world.init:
		return nil, Wrap("init", ErrInitialized)
	}
	world.init = true
	c, err := join(ops)
	if err != nil {
		world.failed = Wrap("init", err)
		return nil, world.failed
	}
	world.comm = c
	if err = c.meetParent(); err == nil {
		err = takeOver(c)
	}
	if err != nil {
		world.failed = Wrap("init", err)
		return nil, world.failed
	}
	start := c.engine.Calls().Begin()
	if err := c.root.Reach(job.HoldInit); err != nil {
		world.failed = Wrap("init", err)
		return nil, world.failed
	}
	c.engine.Calls().End(trace.Init, start, recorder.What{Peer: -1})
	return c, nil
}

// World returns what Init has returned, nil if it has not.
func World() *Comm {
	world.mu.Lock()
	defer world.mu.Unlock()
	return world.comm
}

// join finds this process' place in a job and takes it.
func join(ops Operators) (*Comm, error) {
	place, err := job.Join()
	if err != nil {
		return nil, err
	}
	if place == nil {
		if variable, n, ok := job.OtherLauncher(os.Getenv); ok {
			fmt.Fprintf(os.Stderr, "comm: init: another launcher has started this program (%s=%d): each of its %d "+
				"processes is a job of one rank; start it by pvasrun or by its mpiexec, or have the launcher "+
				"start pvasrun --pmi\n", variable, n, n)
		}
		mem, err := job.Private()
		if err != nil {
			return nil, err
		}
		place = &job.Place{Rank: 0, Size: 1, Memory: mem}
		world.attendant = attendant.New(mem, endAlone)
	}
	if err := os.Unsetenv(job.EnvJob); err != nil {
		return nil, err
	}
	root := place.Memory.Root()
	jobOf.Store(root)
	s, err := readSettings(root.Settings())
	if err != nil {
		return nil, err
	}
	if err := root.Claim(place.Rank, os.Getpid()); err != nil {
		return nil, err
	}
	module, err := open(place)
	if err != nil {
		return nil, err
	}
	networks, err := openNetwork(root, place.Rank)
	if err != nil {
		return nil, err
	}
	job.SetHeap(root, place.Rank, uint64(sys.HeapAddr(make([]byte, 1))))
	exit.LeaveFirst(root.ExitHooks(place.Rank))
	root.SetState(place.Rank, job.StateInit)
	c := NewWorld(root, place.Rank, module, s, ops, networks...)
	if root.Spin() >= job.DefaultSpin {
		c.engine.Waiter().KeepPolling()
	}
	return c, nil
}

// endAlone ends this process when pvasrun, which it has started, has ended: ranks end with their supervisor. One that
// has ended its part in the job goes on.
func endAlone() {
	if c := World(); c == nil || c.finalized.Load() {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: pvasrun, which has started others for this process, has ended: this one ends, too\n",
		Who())
	os.Exit(1)
}

// open returns the module of the job's byte transfer layer. It is the one place
// that knows which there are.
func open(p *job.Place) (btl.Module, error) {
	root := p.Memory.Root()
	switch root.BTL() {
	case job.BTLPvas:
		return pvasbtl.New(root, p.Rank)
	case job.BTLSM:
		return sm.New(p.Memory, p.Rank)
	}
	return nil, fmt.Errorf("no module for BTL %v", root.BTL())
}

// Finalize ends this rank's part in the job.
func (c *Comm) Finalize() error {
	if err := enterBeside(c, "finalize", ErrRevoked, ErrInterrupted); err != nil {
		return Wrap("finalize", err)
	}
	defer c.entry.Leave()
	if !c.isWorld() {
		return Wrap("finalize", ErrNotWorld)
	}
	start := c.engine.Calls().Begin()
	self := c.self()
	err := errors.Join(self.attributes.clear(self), outlive(c.root, c.FlushBuffer()), c.root.Reach(job.HoldFinalize))
	if Checked(c) {
		if !c.met {
			_ = c.meet() // so that all messages are here; a rank that has gone has sent what it would
		}
		c.tellUnreceived()
	}
	c.tellUnfreed("finalize", nil)
	c.contexts.settleAll() // others may go on
	c.drain()
	c.contexts.abandon()
	c.endStranded()
	if leak := c.engine.Close(); err == nil {
		err = leak
	}
	c.contexts.standIns.Wait()
	c.graphs.Close() // nobody else uses the networks from here on
	err = errors.Join(err, c.resource.close(), c.flushNetworks())
	c.engine.Calls().End(trace.Finalize, start, recorder.What{Peer: -1})
	c.finalized.Store(true)
	// pvasrun compares these when all ranks have ended, unless an operation has failed, or was refused at some ranks.
	if n, ok := c.team.Calls(); ok && !c.revoked.Stands() {
		c.root.NoteWorldCalls(c.number, n+uint64(c.channel.Issued()))
	}
	c.root.SetState(c.group.self, job.StateFinal)
	return Wrap("finalize", err)
}

// drain waits until others have received what this rank has sent and waits for nowhere else. If the ranks of this world
// have met, none of them receives any more.
func (p *process) drain() {
	own := p.root.World(p.number)
	if p.root.Several(p.number) || job.Survives(p.root) {
		p.root.EndReceives(p.number)
	}
	p.engine.Drain(func(rank int) bool { return !p.met || !own.Has(rank) })
}

// NameCalls gives the hang report the function that the program is in, and the place of its call (job.Waiting.Place).
// calls returns both. If the name is "", the report says what the rank does. NameCalls is called right after Init.
func NameCalls(world *Comm, calls func() (name string, place uint64)) { world.root.NameCalls(calls) }

// Number is the number in the job of this process' rank.
func Number(world *Comm) int { return world.group.self }

// Root is the root block of the world's job.
func Root(world *Comm) *job.Root { return world.root }

// Who names this process in messages to people: as a rank of its job, also before Init and
// after Finalize, or else by its process ID.
func Who() string {
	if c := World(); c != nil {
		return fmt.Sprintf("rank %d", c.group.self)
	}
	if rank := os.Getenv(job.EnvRank); rank != "" {
		return "rank " + rank
	}
	return fmt.Sprintf("pid %d", os.Getpid())
}

// Run is a whole rank: Init, f, Finalize. If any of them fails it prints
// "rank R: error", or "pid P: error" outside of a job, on the standard error output and exits with code 1, upon which
// pvasrun ends the other ranks. If the error follows from another rank's, it is printed only if the job has not
// ended after a second. If nothing fails Run returns, and the program goes on alone.
func Run(ops Operators, f func(world *Comm) error) {
	if err := run(ops, f); err != nil {
		AwaitCause(err)
		fmt.Fprintf(os.Stderr, "%s: %v\n", Who(), err)
		os.Exit(1)
	}
}

func run(ops Operators, f func(world *Comm) error) error {
	c, err := Init(ops)
	if err != nil {
		return err
	}
	if err := f(c); err != nil {
		if !job.Survives(c.root) {
			c.root.SetState(c.group.self, job.StateAborted)
		}
		return err
	}
	return c.Finalize()
}

// startedAs is the program that pvasrun started as this rank in one address space, "" for any other process: what
// pvasrun has started as one may have executed another program. It is taken when the process starts: Init removes
// PVAS_JOB, and programs that a rank starts inherit PVAS_PROGRAM without being it.
var startedAs = func() string {
	if !strings.HasPrefix(os.Getenv(job.EnvJob), "addr:") {
		return ""
	}
	return os.Getenv(job.EnvProgram)
}()

// Executable returns the absolute path of the running program, like os.Executable.
// That one cannot be used by ranks in one address space: there it names the
// process that hosts them. May be called before Init.
func Executable() (string, error) {
	if startedAs != "" {
		return startedAs, nil
	}
	path, err := os.Executable()
	return path, Wrap("executable", err)
}
