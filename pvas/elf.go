package pvas

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// Bounds on what a header may ask for, far above any real program. They keep a
// hostile file from costing memory before it is refused.
const (
	maxPhdrs   = 64 << 10 / phdrSize // the kernel's own bound
	maxInterp  = 4096
	maxDynamic = 1 << 20
	maxStrings = 64 << 20
	maxRelocs  = 64 << 20 // bytes of the relocation table
	maxSpan    = 1 << 40
	phdrSize   = 56
)

// An image is a checked plan for mapping one ELF file: nothing in it needs to
// be verified again. Addresses are as linked; the loader adds one bias to all.
type image struct {
	machine  *machine  // that it is for
	segments []segment // PT_LOAD, ascending, on separate pages
	lo, hi   uint64    // page-rounded bounds of all segments
	align    uint64    // the bias must be a multiple of it
	entry    uint64
	phdr     uint64 // address of the program headers
	phnum    uint64
	interp   string // PT_INTERP, empty for a static program
	relocs   []reloc
	packed   packed // further ones
	taken    []span // pages that have words to relocate, ascending
	direct   bool   // they are all there is to do: no dynamic linker needed
	hooks    uint64 // address of the variable exitHooks, 0: unknown
	execStk  bool
	origin   bool // it asks for its folder, see origin.go
}

// A segment is one PT_LOAD.
type segment struct {
	addr, fileSize, memSize uint64
	offset                  int64
	flags                   elf.ProgFlag
}

func (s segment) end() uint64 { return s.addr + s.memSize }

// span is a half-open range of addresses.
type span struct{ start, end uint64 }

func (s span) holds(addr, n uint64) bool {
	return addr >= s.start && addr <= s.end && n <= s.end-addr
}

// planner reads one file into an image.
type planner struct {
	*machine
	r     io.ReaderAt
	size  uint64 // of the file
	progs []elf.Prog64
	img   *image
}

// planner returns one for a file of the given size.
func (m *machine) planner(r io.ReaderAt, size int64) *planner {
	return &planner{machine: m, r: r, size: uint64(size), img: &image{machine: m}}
}

// plan reads and checks the headers of an ELF file of the given size.
// Whatever the bytes are, it returns an image or an error wrapping one of the
// reasons in errors.go, never both; it never panics, and allocates no more than
// a small multiple of the bytes that the file really holds.
func (m *machine) plan(r io.ReaderAt, size int64) (*image, error) {
	p := m.planner(r, size)
	steps := []func() error{p.readHeader, p.planSegments, p.placeHeaders, p.readInterp, p.readDynamic}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.img, nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// read returns n bytes at off, which must lie in the file.
func (p *planner) read(what string, off, n, limit uint64) ([]byte, error) {
	if n > limit {
		return nil, malformed("%s of %d bytes (at most %d make sense)", what, n, limit)
	}
	if off > p.size || n > p.size-off {
		return nil, malformed("%s at offset %#x lies outside the file of %d bytes (truncated?)", what, off, p.size)
	}
	b := make([]byte, n)
	if _, err := p.r.ReadAt(b, int64(off)); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return b, nil
}

// decode fills v, a pointer to a fixed-size structure or slice, from b.
func decode(b []byte, v any) {
	// The only error is a short b, and every caller sized b from v.
	_, _ = binary.Decode(b, binary.LittleEndian, v)
}

func (p *planner) readHeader() error {
	const headerSize = 64
	b, err := p.read("ELF header", 0, min(p.size, headerSize), headerSize)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(b, []byte("#!")) {
		return fmt.Errorf("%w but a script: name its interpreter as the program, or run it with --btl sm", ErrNotELF)
	}
	if len(b) < headerSize || string(b[:4]) != elf.ELFMAG {
		return ErrNotELF
	}
	class, data, of := elf.Class(b[elf.EI_CLASS]), elf.Data(b[elf.EI_DATA]),
		elf.Machine(binary.LittleEndian.Uint16(b[18:]))
	if class != elf.ELFCLASS64 || data != elf.ELFDATA2LSB || of != p.elf {
		return fmt.Errorf("%w: %v %v %v, need ELFCLASS64 ELFDATA2LSB %v", ErrMachine, class, data, of, p.elf)
	}
	var h elf.Header64
	decode(b, &h)
	switch elf.Type(h.Type) {
	case elf.ET_DYN:
	case elf.ET_EXEC:
		return ErrNotPIE
	default:
		return fmt.Errorf("%w: type %v", ErrNotELF, elf.Type(h.Type))
	}
	if h.Phentsize != phdrSize || h.Phnum == 0 || h.Phnum > maxPhdrs {
		return malformed("%d program headers of %d bytes", h.Phnum, h.Phentsize)
	}
	b, err = p.read("program headers", h.Phoff, uint64(h.Phnum)*phdrSize, maxPhdrs*phdrSize)
	if err != nil {
		return err
	}
	p.progs = make([]elf.Prog64, h.Phnum)
	decode(b, p.progs)
	p.img.entry, p.img.phnum, p.img.phdr = h.Entry, uint64(h.Phnum), h.Phoff
	return nil
}

func (p *planner) planSegments() error {
	img := p.img
	img.align = p.page
	for i := range p.progs {
		ph := &p.progs[i]
		if elf.ProgType(ph.Type) == elf.PT_GNU_STACK {
			img.execStk = elf.ProgFlag(ph.Flags)&elf.PF_X != 0
		}
		if elf.ProgType(ph.Type) != elf.PT_LOAD || ph.Memsz == 0 {
			continue
		}
		if err := p.addSegment(ph); err != nil {
			return err
		}
	}
	if len(img.segments) == 0 {
		return malformed("nothing to load")
	}
	img.lo = p.pageDown(img.segments[0].addr)
	img.hi = p.pageUp(img.segments[len(img.segments)-1].end())
	if img.hi-img.lo > maxSpan {
		return malformed("image spans %d bytes", img.hi-img.lo)
	}
	return nil
}

// addSegment checks one PT_LOAD against the file and the segment before it.
func (p *planner) addSegment(ph *elf.Prog64) error {
	switch {
	case ph.Filesz > ph.Memsz:
		return malformed("segment at %#x has more bytes in the file (%d) than in memory (%d)",
			ph.Vaddr, ph.Filesz, ph.Memsz)
	case ph.Vaddr > math.MaxInt64 || ph.Memsz > maxSpan:
		return malformed("segment at %#x of %d bytes is absurd", ph.Vaddr, ph.Memsz)
	case ph.Off > p.size || ph.Filesz > p.size-ph.Off:
		return malformed("segment at %#x lies outside the file of %d bytes (truncated?)", ph.Vaddr, p.size)
	case ph.Off%leastPage != ph.Vaddr%leastPage:
		return malformed("segment at %#x and its file offset %#x are aligned differently", ph.Vaddr, ph.Off)
	case ph.Align > 1 && (ph.Align&(ph.Align-1) != 0 || ph.Align > 1<<30):
		return malformed("segment at %#x has alignment %d", ph.Vaddr, ph.Align)
	}
	segs, end := p.img.segments, uint64(0)
	if n := len(segs); n > 0 {
		end = segs[n-1].end()
	}
	switch {
	case ph.Vaddr&^(leastPage-1) < alignUp(end, leastPage):
		return malformed("segment at %#x overlaps the one before it", ph.Vaddr)
	case ph.Off%p.page != ph.Vaddr%p.page, p.pageDown(ph.Vaddr) < p.pageUp(end):
		return fmt.Errorf("%w: its pages are smaller than the %d KiB here, link it with -Wl,-z,max-page-size=65536",
			ErrMachine, p.page>>10)
	}
	p.img.align = max(p.img.align, ph.Align)
	p.img.segments = append(segs, segment{
		addr: ph.Vaddr, fileSize: ph.Filesz, memSize: ph.Memsz,
		offset: int64(ph.Off), flags: elf.ProgFlag(ph.Flags),
	})
	return nil
}

// placeHeaders finds the entry point and the program headers in memory: a
// dynamic linker or libc reads its own headers through AT_PHDR.
func (p *planner) placeHeaders() error {
	img := p.img
	if s := img.segmentAt(img.entry, 1); s == nil || s.flags&elf.PF_X == 0 {
		return malformed("entry point %#x is not in executable memory", img.entry)
	}
	off, n := img.phdr, img.phnum*phdrSize
	for i := range img.segments {
		s := &img.segments[i]
		if o := uint64(s.offset); off >= o && n <= s.fileSize && off-o <= s.fileSize-n {
			img.phdr = s.addr + off - o
			return nil
		}
	}
	return malformed("the program headers are not part of a loaded segment")
}

// segmentAt returns the segment that holds [addr, addr+n), or nil.
func (img *image) segmentAt(addr, n uint64) *segment {
	for i := range img.segments {
		s := &img.segments[i]
		if (span{s.addr, s.end()}).holds(addr, n) {
			return s
		}
	}
	return nil
}

func (p *planner) prog(t elf.ProgType) *elf.Prog64 {
	for i := range p.progs {
		if elf.ProgType(p.progs[i].Type) == t {
			return &p.progs[i]
		}
	}
	return nil
}

func (p *planner) readInterp() error {
	ph := p.prog(elf.PT_INTERP)
	if ph == nil {
		return nil
	}
	b, err := p.read("PT_INTERP", ph.Off, ph.Filesz, maxInterp)
	if err != nil {
		return err
	}
	name, rest, found := strings.Cut(string(b), "\x00")
	if !found || rest != "" || !strings.HasPrefix(name, "/") {
		return malformed("PT_INTERP is not an absolute path: %.80q", b)
	}
	p.img.interp = name
	return nil
}
