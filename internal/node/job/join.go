package job

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Names of the environment variables by which a rank finds its job.
const (
	EnvRank    = "PVAS_RANK"
	EnvSize    = "PVAS_SIZE"
	EnvJob     = "PVAS_JOB"
	EnvProgram = "PVAS_PROGRAM"
	EnvApp     = "PVAS_APPNUM" // which of the programs that were started together

	// EnvBacktrace is the program that the MPI library has name the places of calls: pvasrun on this node.
	EnvBacktrace = "PVAS_BACKTRACE"

	// EnvErrorHandler names the error handler that a program in C begins with.
	EnvErrorHandler = "PVAS_ERRHANDLER"
)

// BacktraceName is what the library calls that program (argv[0]).
const BacktraceName = "pvasrun-backtrace"

// AttendantName is what a job of one rank calls pvasrun (argv[0]) when it starts it to start others. descriptor 3 is
// the memory of the job, and 4 a pipe: pvasrun writes one line there, which is empty, or says why it cannot.
const AttendantName = "pvasrun-attendant"

// Place is a process' place in a job: the number of its rank, and the size of its world.
type Place struct {
	Rank, Size int
	Memory     *Memory
}

// EnvError reports an environment variable whose value is no use.
type EnvError struct {
	Name, Value string
	Reason      string
}

// Error names the variable, its value, the reason and the way out.
func (e *EnvError) Error() string {
	return fmt.Sprintf("%s=%q: %s; start the program by pvasrun, or unset %s to run it alone",
		e.Name, e.Value, e.Reason, EnvJob)
}

// Join finds the job that this process was started in, from its environment. It
// returns nil and no error if PVAS_JOB is not set: the process is then a job of
// its own, see Private. It does not claim the rank and changes nothing in the
// environment.
//
// Nothing in the environment is trusted: a descriptor that is not open or not a
// job's, an address at which this process has nothing, a job of another size, all
// are errors (*EnvError, *LayoutError and others, wrapped).
func Join() (*Place, error) {
	s, err := parseEnv(os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("job: join: %w", err)
	}
	if s == nil {
		return nil, lost(os.Getenv)
	}
	var m *Memory
	if s.btl == BTLSM {
		m, err = joinFile(s.fd)
	} else {
		m, err = joinAddr(s.addr)
	}
	if err != nil {
		return nil, fmt.Errorf("job: join by %s=%s: %w", EnvJob, os.Getenv(EnvJob), err)
	}
	if r := m.Root(); r.World(s.rank).Size != s.size || r.BTL() != s.btl {
		err := fmt.Errorf("job: join: the environment speaks of %d ranks (%v), the job's memory of %d (%v): "+
			"the variables are those of another job", s.size, s.btl, r.World(s.rank).Size, r.BTL())
		return nil, errors.Join(err, m.Close())
	}
	return &Place{Rank: s.rank, Size: s.size, Memory: m}, nil
}

// descriptor is that of a job's memory that a rank of BTLSM is started with.
const descriptor = 3

// lost says that a process is a rank of several whose environment is lost: each would be a job of its own, and the user
// wonder. It is nil for a process that only PVAS_JOB was taken from, so that it runs alone.
func lost(get func(string) string) error {
	if get(EnvSize) != "" {
		return nil
	}
	f, err := sys.DupCloexec(descriptor, "pvas-job")
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if h, err := checkFile(f); err != nil || h.ranks < 2 {
		return nil // it is something else of the program's
	}
	return fmt.Errorf("job: join: the memory of a job is descriptor %d of this process, but %s and the other "+
		"variables of the job are not set: what starts the program takes them from its environment, as env -i does; "+
		"have it leave those that begin with PVAS_", descriptor, EnvJob)
}

// settings returns the settings of the environment.
type settings struct {
	rank, size int
	btl        BTL
	fd         int     // BTLSM
	addr       uintptr // BTLPvas
}

// parseEnv returns nil and no error if there is no job.
func parseEnv(get func(string) string) (*settings, error) {
	job := get(EnvJob)
	if job == "" {
		return nil, nil
	}
	var s settings
	switch kind, value, _ := strings.Cut(job, ":"); kind {
	case "fd":
		fd, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return nil, &EnvError{EnvJob, job, "what follows fd: is no descriptor number"}
		}
		s.btl, s.fd = BTLSM, int(fd)
	case "addr":
		hex, ok := strings.CutPrefix(value, "0x")
		addr, err := strconv.ParseUint(hex, 16, strconv.IntSize)
		if !ok || err != nil || addr == 0 || addr%uint64(os.Getpagesize()) != 0 {
			return nil, &EnvError{EnvJob, job, "what follows addr: is no address of a page in the form 0x7f..."}
		}
		s.btl, s.addr = BTLPvas, uintptr(addr)
	default:
		return nil, &EnvError{EnvJob, job, "is neither fd:NUMBER nor addr:0xADDRESS"}
	}
	size, err := strconv.ParseUint(get(EnvSize), 10, 31)
	if err != nil || size < 1 || size > MaxRanks {
		return nil, &EnvError{EnvSize, get(EnvSize), fmt.Sprintf("is no number of ranks from 1 to %d", MaxRanks)}
	}
	rank, err := strconv.ParseUint(get(EnvRank), 10, 31)
	if err != nil || rank >= MaxRanks {
		return nil, &EnvError{EnvRank, get(EnvRank), fmt.Sprintf("is no rank from 0 to %d", MaxRanks-1)}
	}
	s.rank, s.size = int(rank), int(size)
	return &s, nil
}

// joinFile maps the job's memory from an inherited descriptor, which from then on
// is closed for everybody but the Memory: children of a rank must not inherit it.
// Until the file has proved to be a job's, the descriptor is left as it is: it may
// be something else of the program's.
func joinFile(fd int) (*Memory, error) {
	f, err := sys.DupCloexec(fd, "pvas-job")
	if err != nil {
		return nil, notInherited(fd, err)
	}
	m, err := Map(f)
	if err != nil {
		f.Close()
		return nil, notInherited(fd, err)
	}
	if err := syscall.Close(fd); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// notInherited explains an error that shows that descriptor fd is not the job's memory. It returns any other error as
// it is.
func notInherited(fd int, err error) error {
	e, ok := errors.AsType[*LayoutError](err)
	if !errors.Is(err, syscall.EBADF) && !errors.Is(err, errNoHeader) && !(ok && e.Field == "magic") {
		return err
	}
	return fmt.Errorf("descriptor %d is not the job's memory; the usual cause is a program that was started by a rank "+
		"without the rank's descriptors, as subprocess of Python does: pass descriptor %d on (pass_fds=[%d]), "+
		"or unset %s to run it alone: %w", fd, fd, fd, EnvJob, err)
}

// errNotHere means that the address in the environment is not of this process.
var errNotHere = errors.New("this process does not have the job's memory; the usual cause is a program " +
	"that was started by a rank, in an address space of its own: use pvasrun --btl sm, " +
	"or unset " + EnvJob + " to run it alone")

// joinAddr uses the root block that the space host has mapped into the address
// space of the job.
func joinAddr(addr uintptr) (*Memory, error) {
	head, err := peekHeader(addr)
	if err != nil {
		return nil, err
	}
	h, err := checkHeader(head)
	if err != nil {
		return nil, err
	}
	size := h.extent().size()
	if !sys.Mapped(addr, uintptr(size)) {
		return nil, errNotHere
	}
	return &Memory{root: viewRoot(bytesAt(addr, size)), addr: addr}, nil
}

// peekHeader copies the header at addr, if there is anything. An address that is
// mapped may still not be readable, such as the reserve of a partition. So a fault
// is turned into an error.
func peekHeader(addr uintptr) (head []byte, err error) {
	if !sys.Mapped(addr, uintptr(headerSize)) {
		return nil, errNotHere
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			head, err = nil, errNotHere
		}
	}()
	head = make([]byte, headerSize)
	copy(head, bytesAt(addr, headerSize))
	return head, nil
}
