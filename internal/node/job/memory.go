package job

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"runtime"

	"github.com/gopvas/gopvas/internal/node/sys"
)

const (
	hugePage = sys.ReservedPage

	// maxStride is the length of a rank's segment unless a limit asks for less.
	// The file is sparse, so this costs nothing.
	maxStride = 64 << 30
)

// Memory is the memory of a job as this process has it mapped.
type Memory struct {
	file  *os.File // the memfd; nil in a rank of BTLPvas
	root  *Root
	addr  uintptr  // of the root block; 0 if it is Go memory
	block *Segment // the root block, if it is for Close to unmap; else nil
}

// Create makes the memory of a new job and maps its root block. The memfd is
// sparse and sealed against resizing. The caller closes the Memory; the memory
// itself lives as long as any process has it open or mapped.
func Create(c Config) (*Memory, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("job: create memory: %w", err)
	}
	base, stride, err := planSegments(c, sys.SoftLimit(sys.RlimitFsize))
	if err != nil {
		return nil, fmt.Errorf("job: create memory: %w", err)
	}
	size := int64(roundUp(uint64(c.extent().size()), uint64(os.Getpagesize())))
	if stride != 0 {
		size = int64(base + uint64(c.places())*stride)
	}
	if limit := sys.SoftLimit(sys.RlimitFsize); uint64(size) > limit {
		fix := "raise it"
		if c.TraceSize > 0 {
			fix = "raise it, or trace fewer ranks"
		}
		return nil,
			fmt.Errorf("job: create memory: the limit on the size of files (RLIMIT_FSIZE, ulimit -f) is %d bytes, "+
				"the job needs %d: %s", limit, size, fix)
	}
	f, err := sys.SealedMemfd("pvas-job", size)
	if err != nil {
		return nil, fmt.Errorf("job: create memory: %w", err)
	}
	m, err := mapRoot(f, c.extent().size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("job: create memory: %w", err)
	}
	c.settle(m.block.Bytes)
	m.root = initRoot(m.block.Bytes, c, base, stride)
	return m, nil
}

// planSegments returns where the segments lie in the memfd, zeros for a job
// without segments. limit is the size in bytes that a file may have.
func planSegments(c Config, limit uint64) (base, stride uint64, err error) {
	if c.BTL != BTLSM {
		return 0, 0, nil
	}
	base = roundUp(uint64(c.extent().size()), hugePage)
	room := uint64(0)
	if limit > base {
		room = (min(limit, math.MaxInt64) - base) / uint64(c.places())
	}
	stride = min(room&^(hugePage-1), maxStride)
	if stride == 0 {
		return 0, 0, fmt.Errorf("the limit on the size of files (RLIMIT_FSIZE, ulimit -f) is %d bytes, "+
			"%d ranks need at least %d: raise it", limit, c.places(), base+uint64(c.places())*hugePage)
	}
	return base, stride, nil
}

// Map maps the root block of a job whose memfd was inherited or received. It
// takes f over: Close closes it. On error f is still the caller's. The error is a
// *LayoutError (wrapped) if the file is not the memory of a job of this version.
func Map(f *os.File) (*Memory, error) {
	h, err := checkFile(f)
	if err != nil {
		return nil, fmt.Errorf("job: map memory %s: %w", f.Name(), err)
	}
	m, err := mapRoot(f, h.extent().size())
	if err != nil {
		return nil, fmt.Errorf("job: map memory %s: %w", f.Name(), err)
	}
	m.root = viewRoot(m.block.Bytes)
	return m, nil
}

// checkFile reads the header and checks it against the size of the file. An access to
// memory mapped later then never lies behind the end of the file (SIGBUS).
func checkFile(f *os.File) (*constants, error) {
	head := make([]byte, headerSize)
	n, err := f.ReadAt(head, 0)
	if n < headerSize {
		return nil, fmt.Errorf("%w: %w", errNoHeader, err)
	}
	h, err := checkHeader(head)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read size: %w", err)
	}
	need, err := h.fileSize()
	if err != nil {
		return nil, err
	}
	if uint64(info.Size()) < need {
		return nil, &LayoutError{Field: "size of the memory in bytes", Have: uint64(info.Size()), Want: need}
	}
	return h, nil
}

// errNoHeader says that a file has no header: it is no memory of a job.
var errNoHeader = errors.New("read header")

// fileSize returns the least size of the memfd that a checked header asks for.
func (h *constants) fileSize() (uint64, error) {
	root := uint64(h.extent().size())
	if BTL(h.btl) != BTLSM {
		return root, nil
	}
	over, segments := bits.Mul64(h.segmentStride, uint64(h.places))
	end, carry := bits.Add64(h.segmentBase, segments, 0)
	if over != 0 || carry != 0 || end > math.MaxInt64 || h.segmentBase < root ||
		h.segmentStride == 0 || h.segmentBase%hugePage != 0 || h.segmentStride%hugePage != 0 {
		return 0, fmt.Errorf("segments of %#x bytes from offset %#x make no sense for %d ranks",
			h.segmentStride, h.segmentBase, h.places)
	}
	return end, nil
}

// mapRoot maps the root block and the trace buffers; the caller sets root.
func mapRoot(f *os.File, size int) (*Memory, error) {
	block, err := mapSegment(f, 0, size, os.Getpagesize())
	if err != nil {
		return nil, fmt.Errorf("root block: %w", err)
	}
	return &Memory{file: f, addr: sys.AddrOf(block.Bytes), block: block}, nil
}

// UsualRoom is how many ranks a job has room for if its user has not said. It costs no memory: with this number
// partitions have their usual size.
const UsualRoom = 256

// RoomToSurvive is how many ranks a job that survives may have one after the other. A place is never used again: what
// is left of a rank that has failed, as groups, messages under way, its pid, names nobody else. RoomOfSpace is likewise
// of a job in one address space, where each has a partition. Then partitions have 16 GiB.
const (
	RoomToSurvive = 1 << 14
	RoomOfSpace   = 1 << 11
)

// Private returns the memory of a job of one rank, which is this process and which no supervisor has started. If the
// rank starts others, a supervisor maps the File: so it is the memory of a job of processes.
func Private() (*Memory, error) {
	c := Config{Ranks: 1, Places: UsualRoom, BTL: BTLSM, CPUs: runtime.NumCPU(), Universe: runtime.NumCPU(), Desk: true}
	if sys.SoftLimit(sys.RlimitFsize) != sys.Unlimited {
		c.Places = 0 // the segments of others would take their share of the file
	}
	rand.Read(c.Key[:]) // never fails
	m, err := Create(c)
	if err != nil {
		return nil, err
	}
	m.root.names = new(Names)
	return m, nil
}

// InHeap returns the memory of a job whose ranks are goroutines of this process, on
// Go's heap: there the race detector sees their accesses.
func InHeap(c Config) (*Memory, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("job: create memory: %w", err)
	}
	return &Memory{root: initRoot(heapBlock(c.extent().size()), c, 0, 0)}, nil
}

// File returns the memfd, to be handed to other processes; nil if this process
// has none. It belongs to the Memory and, like any os.File, closes on exec.
func (m *Memory) File() *os.File { return m.file }

// Root returns the root block, valid until Close.
func (m *Memory) Root() *Root { return m.root }

// Addr returns the address of the root block in this process, which goes into
// PVAS_JOB=addr: of ranks that share the address space.
func (m *Memory) Addr() uintptr { return m.addr }

// Length is the length of the root block in bytes.
func (m *Memory) Length() uint64 { return uint64(len(m.block.Bytes)) }

// Close unmaps and closes all that this process has mapped and opened. Nothing got from Root
// may be used any more, and no thread may still be waiting on it. In a rank of
// BTLPvas it leaves the root block mapped: that belongs to the space host.
func (m *Memory) Close() error {
	var errs [2]error
	if m.block != nil {
		errs[0] = m.block.Unmap()
	}
	if m.file != nil {
		errs[1] = m.file.Close()
	}
	*m = Memory{}
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("job: close memory: %w", err)
		}
	}
	return nil
}

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }
