package job

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

const (
	headerSize = int(unsafe.Sizeof(header{}))
	rankSize   = int(unsafe.Sizeof(rankBlock{}))
)

// rootSize returns the bytes that the root block of so many ranks takes.
func rootSize(ranks int) int { return headerSize + ranks*rankSize }

// bytesAt views job memory at an address that the environment gives, which is mapped.
func bytesAt(addr uintptr, n int) []byte { return sys.Bytes(addr, n) }

// blockSize is rootSize with a trace buffer of so many bytes, whole pages, for each rank.
// extent says how long the parts of the root block are: rank blocks, desk, trace buffers.
type extent struct{ places, desk, ranks, trace int }

func (c *Config) extent() extent {
	return newExtent(c.places(), c.Ranks, c.TraceSize, c.Desk)
}

func (h *constants) extent() extent {
	return newExtent(int(h.places), int(h.ranks), int(h.traceSize), h.flags&flagDesk != 0)
}

func newExtent(places, ranks, trace int, desk bool) extent {
	e := extent{places: places, ranks: ranks, trace: trace}
	if desk {
		e.desk = deskSize
	}
	return e
}

// size returns the bytes of all parts.
func (e extent) size() int {
	if e.trace == 0 {
		return e.deskAt() + e.desk
	}
	return e.tracesAt() + e.ranks*e.trace
}

func (e extent) deskAt() int {
	if e.desk == 0 {
		return rootSize(e.places)
	}
	return int(roundUp(uint64(rootSize(e.places)), uint64(os.Getpagesize())))
}

// tracesAt returns where the trace buffers begin: at a page.
func (e extent) tracesAt() int {
	return int(roundUp(uint64(e.deskAt()+e.desk), uint64(os.Getpagesize())))
}

// viewRoot lays the structures over mem. mem starts at a multiple of eight and has at least
// rootSize(ranks) bytes, with the trace buffers behind them if there are any. The Root
// refers to mem: Go memory stays reachable, mapped memory must stay mapped.
func viewRoot(mem []byte) *Root {
	base := unsafe.Pointer(unsafe.SliceData(mem[:headerSize]))
	head := (*header)(base)
	e := head.extent()
	_ = mem[:e.size()]
	r := &Root{
		head:  head,
		ranks: unsafe.Slice((*rankBlock)(unsafe.Add(base, headerSize)), e.places),
	}
	if e.desk > 0 {
		r.desk = deskIn(mem[e.deskAt() : e.deskAt()+e.desk])
	}
	if e.trace > 0 {
		r.traces = mem[e.tracesAt():e.size()]
	}
	r.settings = head.settings.read()
	r.looks, r.here = r.settings.Spin, r.Near()+r.lateHere()
	if r.here > r.CPUs() {
		r.settings.Spin = 0
	}
	return r
}

// initRoot writes the constant part of the header into mem, which is zero.
func initRoot(mem []byte, c Config, segmentBase, segmentStride uint64) *Root {
	e := c.extent()
	h := (*header)(unsafe.Pointer(unsafe.SliceData(mem[:e.size()])))
	h.magic = layoutMagic
	h.version = LayoutVersion
	h.headerSize = uint32(headerSize)
	h.rankSize = uint32(rankSize)
	h.windows = MaxWindows
	h.ranks, h.places, h.universe = uint32(c.Ranks), uint32(e.places), uint32(max(c.Universe, c.Ranks))
	h.id = c.newID()
	h.btl = uint32(c.BTL)
	h.cpus = uint32(c.CPUs)
	h.pageSize = uint32(os.Getpagesize())
	h.pidSpace = sys.PIDSpace()
	h.flags |= c.HugePages.flag()
	if c.Hold {
		h.flags |= flagHold
	}
	if c.Desk {
		h.flags |= flagDesk
	}
	h.traceSize = uint32(c.TraceSize)
	h.segmentBase, h.segmentStride = segmentBase, segmentStride
	h.nodes, h.near = c.spread()
	h.node, h.key = uint32(c.Node), c.Key
	h.all = uint32(max(c.AllCPUs, c.CPUs))
	for i, a := range c.devices() {
		h.devices[i] = a.As16()
	}
	s, _ := c.Settings.Resolve() // Config.check has seen to errors
	h.settings.write(s)
	r := viewRoot(mem)
	for rank, node := range c.Nodes {
		r.ranks[rank].address.node = uint32(node)
	}
	for i, rank := range c.here() {
		if i < len(c.Domains) {
			r.SetDomains(rank, c.Domains[i:i+1])
		}
	}
	return r
}

// heapRoot returns zeroed Go memory for the root block of so many ranks.
func heapRoot(ranks int) []byte { return heapBlock(rootSize(ranks)) }

// heapBlock returns that many zeroed bytes of Go memory, aligned to words.
func heapBlock(size int) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
}

// checkHeader looks at the first headerSize bytes of a root block and returns a
// copy of the constants there, or a *LayoutError.
func checkHeader(head []byte) (*constants, error) {
	if len(head) < headerSize {
		return nil, &LayoutError{Field: "length of the header in bytes",
			Have: uint64(len(head)), Want: uint64(headerSize)}
	}
	h := new(constants)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h)), head)
	for _, f := range []struct {
		name       string
		have, want uint64
	}{
		{"magic", h.magic, layoutMagic},
		{"version of the layout", uint64(h.version), LayoutVersion},
		{"size of the header", uint64(h.headerSize), uint64(headerSize)},
		{"size of a rank's block", uint64(h.rankSize), uint64(rankSize)},
		{"number of window slots", uint64(h.windows), MaxWindows},
		{"page size", uint64(h.pageSize), uint64(os.Getpagesize())},
	} {
		if f.have != f.want {
			return nil, &LayoutError{Field: f.name, Have: f.have, Want: f.want}
		}
	}
	c := Config{Ranks: int(h.ranks), Places: int(h.places), BTL: BTL(h.btl), CPUs: int(h.cpus),
		TraceSize: int(h.traceSize), Settings: h.settings.read()}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	return h, nil
}

// deskIn returns the desk in its memory.
func deskIn(mem []byte) *desk {
	block := (*deskBlock)(unsafe.Pointer(unsafe.SliceData(mem[:unsafe.Sizeof(deskBlock{})])))
	return &desk{block, mem[unsafe.Sizeof(deskBlock{}):]}
}
