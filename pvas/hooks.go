package pvas

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// exitHooks is the variable of a Go program in which the runtime has the functions to call at its end. Only the table
// of symbols tells where it lies.
const exitHooks = "internal/runtime/exithook.hooks"

// findHooks notes where the variable lies. It is 0 in a program without the table, or where anything in it is odd: the
// program starts all the same.
func (p *planner) findHooks() {
	var h elf.Header64
	b, err := p.read("ELF header", 0, 64, 64)
	if err != nil {
		return
	}
	decode(b, &h)
	const headerSize, entry = 64, 24
	b, err = p.read("section headers", h.Shoff, uint64(h.Shnum)*headerSize, maxPhdrs*headerSize)
	if err != nil || h.Shentsize != headerSize {
		return
	}
	sections := make([]elf.Section64, h.Shnum)
	decode(b, sections)
	for i := range sections {
		s := &sections[i]
		if elf.SectionType(s.Type) != elf.SHT_SYMTAB || int(s.Link) >= len(sections) {
			continue
		}
		strings := &sections[s.Link]
		names, err := p.read("names of symbols", strings.Off, strings.Size, maxStrings)
		name := bytes.Index(names, []byte("\x00"+exitHooks+"\x00")) + 1
		if err != nil || name == 0 {
			return
		}
		symbols, err := p.read("symbols", s.Off, s.Size/entry*entry, maxStrings)
		if err != nil {
			return
		}
		for ; len(symbols) > 0; symbols = symbols[entry:] {
			if binary.LittleEndian.Uint32(symbols) == uint32(name) {
				p.noteHooks(binary.LittleEndian.Uint64(symbols[8:]))
				return
			}
		}
	}
}

// noteHooks takes an address that the program can write.
func (p *planner) noteHooks(at uint64) {
	if s := p.img.segmentAt(at, 24); s != nil && s.flags&elf.PF_W != 0 && at%8 == 0 {
		p.img.hooks = at
	}
}
