package capi

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Process is this rank as its C program sees it.
type Process struct {
	state atomic.Uint32 // before, running or resting; changed by become
	usual atomic.Bool   // calls go the short way: running, one thread at a time, no places are recorded
	level int           // thread level that was granted

	initialized, finalized atomic.Bool // by MPI_Init and MPI_Finalize
	users                  int         // sessions, and MPI_Init up to MPI_Finalize
	met                    bool        // all ranks have come to the end of MPI_Init's use
	sessionBuffers         atomic.Int32
	ports                  atomic.Int32 // opened and not closed

	world, self *communicator

	comms       table[communicator]
	groups      table[comm.Group]
	lists       sync.Pool // of *several
	infos       table[comm.Info]
	errhandlers table[errhandler]
	messages    table[matched]
	sessions    table[session]
	files       table[openFile]
	windows     table[windowObject]
	fileHandler *errhandler // of files that are opened, and of calls without a file
	dataReps    dataReps
	keyvals     keyvals
	codes       errorCodes
	attached    attachedBuffer
	inside      inside
	traced      bool // waits are recorded, and so go the long way
	recorded    bool // the places of calls are recorded
	tool        tool

	mu         sync.Mutex // guards what follows
	memory     map[Address]allocated
	known      map[*comm.Comm]*communicator
	predefined map[int]*[1]uint64 // attributes by key, that the program gets the addresses of
}

// The states of a Process.
const (
	before uint32 = iota
	running
	resting // all sessions are finalized, and MPI if it was initialized; there may be other sessions
)

// become changes the state.
func (p *Process) become(state uint32) {
	p.state.Store(state)
	p.usual.Store(state == running && !p.inside.many.Load() && !p.recorded)
}

// process is the only one of its kind: a C program is one process.
var process = newProcess()

func newProcess() *Process {
	p := &Process{memory: map[Address]allocated{}, known: map[*comm.Comm]*communicator{}}
	p.comms.kind, p.groups.kind = kindComm, kindGroup
	p.infos.kind, p.errhandlers.kind, p.messages.kind, p.sessions.kind = kindInfo, kindErrhandler,
		kindMessage, kindSession
	p.tool.controls.kind, p.tool.sessions.kind, p.tool.counters.kind = kindControl, kindToolSession, kindCounter
	p.files.kind, p.fileHandler, p.windows.kind = kindFile, returns, kindWin
	p.codes.next = ERR_LASTCODE + 1
	return p
}

// start has the program run on a world.
func (p *Process) start(world *comm.Comm, level int) {
	p.level = level
	p.traced = recorder.Active()
	p.recorded = level < THREAD_MULTIPLE && p.traced // of several threads only one could say where it is
	_, handler := initially()
	p.world = newCommunicator(&communicator{c: world, handle: COMM_WORLD, handler: handler, name: "MPI_COMM_WORLD"})
	p.self = newCommunicator(&communicator{c: world.Self(), handle: COMM_SELF, handler: handler,
		name: "MPI_COMM_SELF"})
	for _, c := range []*communicator{p.world, p.self} {
		c.c.SetName(c.name)
		p.known[c.c] = c
	}
}

// notRunning says why a function cannot be called now; nil if it can.
func (p *Process) notRunning() error {
	switch p.state.Load() {
	case before:
		alone()
		return fail(ERR_OTHER, "called before MPI_Init: call MPI_Init or MPI_Init_thread first")
	case resting:
		return fail(ERR_OTHER,
			"called after MPI_Finalize, or after the last session was finalized: move the call before it")
	}
	return nil
}

// Init is MPI_Init.
func (p *Process) Init(argc Ref, argv Address) error { return p.init(THREAD_SINGLE) }

// Init_thread is MPI_Init_thread. All levels are granted.
func (p *Process) Init_thread(argc Ref, argv Address, required int, provided Ref) error {
	switch required {
	case THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE:
	default:
		return fail(ERR_ARG, "thread level %d: pass MPI_THREAD_SINGLE, FUNNELED, SERIALIZED or MULTIPLE", required)
	}
	provided.Set(required)
	return p.init(required)
}

func (p *Process) init(level int) error {
	if p.initialized.Swap(true) {
		return fail(ERR_OTHER,
			"MPI is initialized already: a process calls MPI_Init once, and not again after MPI_Finalize")
	}
	err := p.join(level)
	if err != nil {
		p.initialized.Store(false)
	}
	return err
}

// join makes this process a rank, or counts one more user of what it is.
func (p *Process) join(level int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.state.Load() {
	case before:
		world, err := comm.Init(comm.Operators{Resolve: operator.Resolve, Describe: operator.Describe})
		if err != nil {
			return err
		}
		comm.NameCalls(world, p.inside.current)
		p.start(world, level)
	case resting:
		comm.Rest(p.world.c, false)
	}
	p.level = max(p.level, level)
	if p.level == THREAD_MULTIPLE {
		p.inside.many.Store(true)
	}
	comm.OtherThreads(p.world.c, p.otherThreads)
	if p.level >= THREAD_SERIALIZED && p.world != nil {
		Share() // a session asks for more than MPI_Init
		comm.ManyThreads(p.world.c)
	}
	p.become(running)
	p.users++
	return nil
}

// FaultWord returns the word that the handler of a fatal signal marks, and the ranks whose memory this process
// shares: see job.Root.Neighbours.
func FaultWord() (state *atomic.Uint32, base, size uint64, first, last int) {
	root, self := comm.Root(process.world.c), comm.Number(process.world.c)
	base, size, first, last = root.Neighbours(self)
	return root.StateWord(self), base, size, first, last
}

// OneThread says that no thread of the program calls MPI any more but the calling one: the library
// refuses all others.
func OneThread() {
	if !process.inside.many.Load() {
		comm.OneThread(process.world.c, func() { Share() }) // which cmd/libmpi sets later
	}
}

// Level is the highest thread level that was granted.
func Level() int { return process.level }

// otherThreads tells whether a thread may call that ends the wait of another one.
func (p *Process) otherThreads() bool { return p.inside.many.Load() && OtherThreads() }

// SecondThread says that a thread calls MPI which may not, as it is not the one that has initialised it. op is its
// call. The thread of OneThread makes no call meanwhile.
func SecondThread(op int) {
	p := process
	if p.level >= THREAD_SERIALIZED { // a session has asked for that
		return
	}
	p.inside.many.Store(true)
	p.usual.Store(false)
	comm.ManyThreads(p.world.c)
	if comm.Checked(p.world.c) && op >= 0 {
		fmt.Fprintf(os.Stderr, "%s: %s: warning: a second thread calls MPI, which was initialised for one thread: "+
			"call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE\n", comm.Who(), calls[op].name)
	}
}

// leave counts one user less. After the last one this process may end, or begin a session. The end of MPI that was
// initialized is met by all ranks.
func (p *Process) leave() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users > 0 {
		return nil
	}
	err := p.world.c.FlushBuffer()
	if !p.initialized.Load() || p.met {
		p.become(resting)
		comm.Rest(p.world.c, true)
		return err
	}
	p.met = true
	met := comm.Meet(p.world.c)
	if _, gone := errors.AsType[*fault.LostError](met); gone {
		met = nil // a rank in Go waits for nobody at its end; of others that have gone pvasrun tells
	}
	err = errors.Join(err, met)
	p.become(resting)
	end := p.world.c.Finalize()
	if leak, ok := errors.AsType[*fault.LeakError](end); ok { // no error in C
		fmt.Fprintf(os.Stderr, "%s: MPI_Finalize: warning: %v\n", comm.Who(), leak)
		end = nil
	}
	return errors.Join(err, end)
}

// Finalize is MPI_Finalize. Attributes of MPI_COMM_SELF are deleted first, the last one
// first. No rank leaves before all have come.
func (p *Process) Finalize() error {
	if !p.initialized.Load() || p.finalized.Load() {
		return fail(ERR_OTHER, "called before MPI_Init, or a second time")
	}
	err := p.deleteAll(uintptr(COMM_SELF), &p.self.attributes)
	if comm.Checked(p.world.c) {
		p.tellUnfreed()
	}
	p.finalized.Store(true)
	return errors.Join(err, p.leave())
}

// tellUnfreed prints what the program has made and not freed, but for what package comm tells of.
func (p *Process) tellUnfreed() {
	for _, left := range []struct {
		objects string
		n       int
	}{
		{"datatypes", types.len() - predefinedLater()}, {"operators", operators.len()}, {"groups", p.groups.len()},
		{"info objects", p.infos.len()}, {"error handlers", p.errhandlers.len()},
		{"graphs", programGraphs.len()}, {"attribute keys", p.keyvals.left()},
		{"pieces of MPI_Alloc_mem", p.allocated()},
	} {
		if left.n > 0 {
			fmt.Fprintf(os.Stderr, "%s: finalize: warning: %s not freed: %d\n", comm.Who(), left.objects, left.n)
		}
	}
	if n := p.ports.Load(); n > 0 {
		fmt.Fprintf(os.Stderr, "%s: finalize: warning: ports not closed: %d\n", comm.Who(), n)
	}
}

// Abort is MPI_Abort. It ends the whole job, or its world if that is connected to no other.
func (p *Process) Abort(c Comm, code int) error {
	call, of := "MPI_Abort", p.world
	if object, err := p.comm(c); err == nil {
		call += " on " + object.title()
		of = object
	}
	p.end(of, call, code)
	return nil
}

// Get_processor_name is MPI_Get_processor_name: the name of the machine.
func (p *Process) Get_processor_name(name OutString, resultlen Ref) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	resultlen.Set(name.Set(host, MAX_PROCESSOR_NAME))
	return nil
}

// memoryAlign is what memory of Alloc_mem is aligned to at least.
const memoryAlign = 64

// mapFrom is the size from which Alloc_mem asks the system. It may refuse, where the Go heap would
// end the process.
const mapFrom = 1 << 20

// Alloc_mem is MPI_Alloc_mem. The memory stays where it is.
func (p *Process) Alloc_mem(size int, info Info, base AddressRef) error {
	if size < 0 {
		return fail(ERR_ARG, "size %d is negative", size)
	}
	hints, err := p.hints(info)
	if err != nil {
		return err
	}
	align := max(memoryAlign, comm.Alignment(hints))
	if size >= sys.ReservedPage {
		align = max(align, sys.ReservedPage) // its huge pages, if any, begin with it; else this costs addresses alone
	}
	mem, at, err := allocate(size, align)
	if err != nil {
		return fail(ERR_NO_MEM, "%v", err)
	}
	if mem.mapped > 0 {
		p.world.c.UseHugePages(uintptr(at), uintptr(size))
	}
	p.mu.Lock()
	p.memory[at] = mem
	p.mu.Unlock()
	base.Set(at)
	return nil
}

// Free_mem is MPI_Free_mem.
func (p *Process) Free_mem(base Address) error {
	p.mu.Lock()
	mem, ok := p.memory[base]
	delete(p.memory, base)
	p.mu.Unlock()
	if !ok && base != 0 {
		return fail(ERR_BASE, "address %#x is not from MPI_Alloc_mem, or was freed", uintptr(base))
	}
	return mem.free()
}

// allocated returns how many pieces of Alloc_mem there are.
func (p *Process) allocated() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.memory)
}

// allocated is memory of Alloc_mem: of the Go heap, or so many bytes that were mapped at an address.
type allocated struct {
	heap       []byte
	at, mapped uintptr
}

func (a *allocated) free() error {
	if a.mapped == 0 {
		return nil
	}
	return sys.Munmap(a.at, a.mapped)
}

// room makes memory for count elements of a size, both as the program says. If there is not so much it returns an
// error, where the Go heap would end the process.
func room(count, size int) ([]byte, error) {
	if size < 0 || size > 0 && count > math.MaxInt/size {
		return nil, fail(ERR_COUNT, "%d elements of %d bytes are more than 2^63 bytes", count, size)
	}
	n := count * size
	if n >= mapFrom {
		mem, _, err := allocate(n, memoryAlign)
		if err == nil {
			err = mem.free()
		}
		if err != nil {
			return nil, fail(ERR_NO_MEM, "a copy of %d bytes needs memory: %v: pass fewer elements at a time", n, err)
		}
	}
	return make([]byte, n), nil
}

// allocate returns memory of size bytes, and its address, a multiple of align, which is a power of two.
func allocate(size, align int) (mem allocated, at Address, err error) {
	all, up := size+align, Address(align-1)
	if all < size {
		return mem, 0, syscall.ENOMEM
	}
	if all >= mapFrom {
		mem.mapped = uintptr(all)
		mem.at, err = sys.Mmap(0, mem.mapped, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, -1, 0)
		return mem, (Address(mem.at) + up) &^ up, err
	}
	mem.heap = make([]byte, all)
	return mem, (Address(sys.AddrOf(mem.heap)) + up) &^ up, nil
}
