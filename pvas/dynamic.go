package pvas

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// A reloc is one relative relocation: the word at offset becomes addend plus the bias.
type reloc struct {
	offset uint64
	addend uint64
}

// dynamic has the entries of PT_DYNAMIC that the loader reads.
type dynamic struct {
	rela, relaSize  uint64
	relr, relrSize  uint64
	strtab, strSize uint64
	needed, jumpRel bool
	otherWork       bool // something only a dynamic linker knows how to do
}

// sanitizers are strings that the dynamic string table of an instrumented
// program holds: its runtime library, or that library's entry points.
var sanitizers = [][]byte{
	[]byte("libasan.so"), []byte("libtsan.so"), []byte("liblsan.so"), []byte("libmsan.so"), []byte("libhwasan.so"),
	[]byte("\x00__asan_init\x00"), []byte("\x00__tsan_init\x00"), []byte("\x00__msan_init\x00"),
	[]byte("\x00__hwasan_init\x00"),
}

// readDynamic decides whether the file can be relocated here, without a
// dynamic linker. A Go PIE can: it names an interpreter but needs no library
// and has relative relocations only; entering it directly saves the mappings
// and page tables of ld.so.
func (p *planner) readDynamic() error {
	d, err := p.parseDynamic()
	if err != nil || d == nil {
		return err
	}
	if err := p.readStrings(d); err != nil {
		return err
	}
	if p.img.interp == "" || d.needed || d.jumpRel || d.otherWork || !p.isGo() {
		return nil
	}
	relocs, ok, err := p.readRelocs(d)
	if err != nil || !ok {
		return err
	}
	if p.img.packed, err = p.readPacked(d); err != nil {
		return err
	}
	p.img.relocs, p.img.direct = relocs, true
	p.img.taken = p.img.pagesToTake()
	p.findHooks()
	return nil
}

// parseDynamic returns nil where the file has no dynamic section.
func (p *planner) parseDynamic() (*dynamic, error) {
	ph := p.prog(elf.PT_DYNAMIC)
	if ph == nil {
		return nil, nil
	}
	b, err := p.read("PT_DYNAMIC", ph.Off, ph.Filesz, maxDynamic)
	if err != nil {
		return nil, err
	}
	var d dynamic
	for ; len(b) >= 16; b = b[16:] {
		var e elf.Dyn64
		decode(b[:16], &e)
		switch tag := elf.DynTag(e.Tag); tag {
		case elf.DT_NULL:
			return &d, nil
		case elf.DT_NEEDED:
			d.needed = true
		case elf.DT_RELA:
			d.rela = e.Val
		case elf.DT_RELASZ:
			d.relaSize = e.Val
		case elf.DT_STRTAB:
			d.strtab = e.Val
		case elf.DT_STRSZ:
			d.strSize = e.Val
		case elf.DT_PLTRELSZ:
			d.jumpRel = d.jumpRel || e.Val != 0
		case elf.DT_INIT, elf.DT_INIT_ARRAY, elf.DT_PREINIT_ARRAY, elf.DT_FINI_ARRAY, elf.DT_REL,
			elf.DT_TEXTREL:
			d.otherWork = true
		case dtRelr:
			d.relr = e.Val
		case dtRelrSize:
			d.relrSize = e.Val
		}
	}
	return nil, malformed("PT_DYNAMIC has no end")
}

// fileOffset translates a linked address to an offset in the file.
func (img *image) fileOffset(addr, n uint64) (uint64, bool) {
	for i := range img.segments {
		s := &img.segments[i]
		if (span{s.addr, s.addr + s.fileSize}).holds(addr, n) {
			return uint64(s.offset) + addr - s.addr, true
		}
	}
	return 0, false
}

// readStrings reads the names of the libraries and of the program in the dynamic string table.
func (p *planner) readStrings(d *dynamic) error {
	off, ok := p.img.fileOffset(d.strtab, d.strSize)
	if !ok || d.strSize == 0 {
		return nil // a reader that needs the table returns the error
	}
	strings, err := p.read("dynamic string table", off, d.strSize, maxStrings)
	if err != nil {
		return err
	}
	for _, mark := range sanitizers {
		if bytes.Contains(strings, mark) {
			return ErrSanitizer
		}
	}
	return p.readOrigin(strings)
}

// isGo looks for the build-id note that the Go linker writes into every program.
func (p *planner) isGo() bool {
	for i := range p.progs {
		ph := &p.progs[i]
		if elf.ProgType(ph.Type) != elf.PT_NOTE {
			continue
		}
		b, err := p.read("PT_NOTE", ph.Off, ph.Filesz, maxDynamic)
		if err == nil && bytes.Contains(b, []byte("\x04\x00\x00\x00Go\x00\x00")) {
			return true
		}
	}
	return false
}

// readRelocs reads the relocation table. ok is false where it holds anything but relative relocations: that is work for
// a dynamic linker.
func (p *planner) readRelocs(d *dynamic) (relocs []reloc, ok bool, err error) {
	const relaSize = 24
	if d.relaSize%relaSize != 0 {
		return nil, false, malformed("relocation table of %d bytes", d.relaSize)
	}
	if d.relaSize == 0 {
		return nil, true, nil
	}
	off, in := p.img.fileOffset(d.rela, d.relaSize)
	if !in {
		return nil, false, malformed("relocation table at %#x is not in a loaded segment", d.rela)
	}
	b, err := p.read("relocation table", off, d.relaSize, maxRelocs)
	if err != nil {
		return nil, false, err
	}
	relocs = make([]reloc, 0, d.relaSize/relaSize)
	for ; len(b) > 0; b = b[relaSize:] {
		le := binary.LittleEndian
		r := reloc{offset: le.Uint64(b), addend: le.Uint64(b[16:])}
		if elf.R_TYPE64(le.Uint64(b[8:])) != p.relative {
			return nil, false, nil
		}
		if err := p.img.checkWord(r.offset); err != nil {
			return nil, false, err
		}
		relocs = append(relocs, r)
	}
	return relocs, true, nil
}

// checkWord refuses a word to be relocated that is not in writable memory.
func (img *image) checkWord(offset uint64) error {
	if s := img.segmentAt(offset, 8); s == nil || s.flags&elf.PF_W == 0 {
		return malformed("relocation of %#x, which is not in writable memory", offset)
	}
	return nil
}
