package job

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// BTL names the way the memory of the ranks meets: the byte transfer layer.
type BTL uint32

const (
	// BTLPvas is one address space: a peer's memory is read where it lies.
	BTLPvas BTL = iota + 1
	// BTLSM is one process each: segments of a memfd, mapped by the readers.
	BTLSM
)

// String returns "pvas" or "sm".
func (b BTL) String() string { return nameOf(b, "", "pvas", "sm") }

// nameOf returns the name of a constant: names has those of 0, 1 and so on.
func nameOf[T ~uint32 | ~int](v T, names ...string) string {
	if v >= 0 && int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return strings.TrimPrefix(fmt.Sprintf("%T(%d)", v, int(v)), "job.")
}

// HugePages are the pages of 2 MiB that ranks use for the large blocks of memory that they share. "": none.
type HugePages string

const (
	// TransparentPages are advised: the kernel makes them where memory lies together, and can split them. So it keeps
	// a table page for each.
	TransparentPages HugePages = "transparent"

	// ReservedPages are those of hugetlbfs, which the administrator has set aside. They need no table page. In one
	// address space alone; where they run out as TransparentPages.
	ReservedPages HugePages = "reserved"
)

func (p HugePages) flag() uint32 {
	switch p {
	case TransparentPages:
		return flagTransparentPages
	case ReservedPages:
		return flagReservedPages
	}
	return 0
}

// Config describes a job when its memory is created.
type Config struct {
	Ranks     int       // number of ranks, 1 to MaxRanks
	Places    int       // how many ranks the job has room for; 0: no more
	BTL       BTL       // how they share memory
	Universe  int       // see Root.Universe
	CPUs      int       // CPUs the job may use; with more ranks than that Root.Spin is 0
	HugePages HugePages // of the memory that ranks share
	Hold      bool      // the hold points hold: see Root.Reach
	Settings  Settings
	Desk      bool // there is a desk: see Root.Ask
	TraceSize int  // bytes of each rank's trace buffer, whole pages; 0: the job is not traced

	// Nodes is the node of each rank, from 0 on; nil: all are on node 0. Node is the node of
	// this memory. Each node has a root block, with a record for every rank of the job. The
	// node's supervisor notes events of the ranks of other nodes there.
	Nodes []int
	Node  int
	Host  netip.Addr // by which other nodes reach this one

	// Devices are the addresses of the node's network devices, of which Host is the first; nil:
	// Host alone. The device of a number reaches those of the same number on other nodes.
	Devices []netip.Addr
	Key     Key // of the messages between nodes, and between couriers of one

	AllNodes int // with those where no rank is yet; 0: there are none
	AllCPUs  int // that all nodes have together; 0: CPUs

	Domains []Domain // of the ranks of this node, in their order; nil: not known
	NUMA    bool     // this node has several NUMA nodes
}

// places returns how many rank blocks the job has.
func (c *Config) places() int { return max(c.Places, c.Ranks) }

// maxTraceSize is the largest trace buffer of a rank, in bytes.
const maxTraceSize = 1 << 30

func (c Config) check() error {
	switch {
	case c.Ranks < 1 || c.Ranks > MaxRanks:
		return fmt.Errorf("number of ranks %d is outside 1..%d", c.Ranks, MaxRanks)
	case c.Places != 0 && (c.Places < c.Ranks || c.Places > MaxRanks):
		return fmt.Errorf("room for %d ranks is outside %d..%d", c.Places, c.Ranks, MaxRanks)
	case c.BTL != BTLPvas && c.BTL != BTLSM:
		return fmt.Errorf("unknown BTL %d", uint32(c.BTL))
	case c.HugePages != "" && c.HugePages.flag() == 0:
		return fmt.Errorf("huge pages %q are neither %s nor %s", c.HugePages, TransparentPages, ReservedPages)
	case c.CPUs < 1:
		return fmt.Errorf("number of CPUs %d is below 1", c.CPUs)
	case c.TraceSize < 0 || c.TraceSize > maxTraceSize || c.TraceSize%os.Getpagesize() != 0:
		return fmt.Errorf("trace buffer of %d bytes is no whole number of pages up to %d", c.TraceSize, maxTraceSize)
	}
	if err := c.checkNodes(); err != nil {
		return err
	}
	if err := c.checkDevices(); err != nil {
		return err
	}
	_, err := c.Settings.Resolve()
	return err
}

// State is how far a rank has come in its use of the runtime.
type State uint32

const (
	StateNone    State = iota // has not called mpi.Init (or is no such program)
	StateInit                 // between Init and Finalize
	StateFinal                // Finalize is done
	StateAborted              // called Abort, or left with an error
	StateFaulted              // has got a fatal signal, which it reports
)

// String returns the state as a word.
func (s State) String() string { return nameOf(s, "none", "init", "final", "aborted", "faulted") }

// ErrClaimed means that another process already is the rank that this process
// was told to be.
var ErrClaimed = errors.New("rank is taken by another process")

// LayoutError reports memory that is not the root block of a job, or one of
// another version of this package.
type LayoutError struct {
	Field      string // the wrong one
	Have, Want uint64
}

// Error names the wrong field and says how to correct it.
func (e *LayoutError) Error() string {
	if e.Field == "magic" {
		return fmt.Sprintf("magic number is %#x, not %#x: this is no job memory", e.Have, e.Want)
	}
	return fmt.Sprintf("%s is %d, this program expects %d: "+
		"build the program and pvasrun from the same version of gopvas, and its library for C by pvasrun install-mpi",
		e.Field, e.Have, e.Want)
}
