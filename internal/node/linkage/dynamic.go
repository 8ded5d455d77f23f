package linkage

import (
	"bytes"
	"debug/elf"
	"io"
	"slices"
	"strings"
)

// loaded is an ELF file as the kernel and the dynamic linker read it, without its sections. Those stand at the end of
// the file, and may have been stripped or lost with it: the program runs all the same.
type loaded struct{ io.ReaderAt }

// ReadAt reads the file, but that its header counts no sections.
func (l loaded) ReadAt(b []byte, off int64) (int, error) {
	n, err := l.ReaderAt.ReadAt(b, off)
	class := make([]byte, elf.EI_CLASS+1)
	if _, err := l.ReaderAt.ReadAt(class, 0); err != nil {
		return n, err
	}
	fields := [][2]int64{{40, 48}, {60, 64}} // e_shoff; e_shnum and e_shstrndx
	if elf.Class(class[elf.EI_CLASS]) == elf.ELFCLASS32 {
		fields = [][2]int64{{32, 36}, {48, 52}}
	}
	for _, field := range fields {
		for i := max(field[0], off); i < min(field[1], off+int64(n)); i++ {
			b[i-off] = 0
		}
	}
	return n, err
}

// dynamic is what PT_DYNAMIC says.
type dynamic struct {
	needed  []string // libraries
	folders []string // in which they are looked for
	opens   bool     // the program may load other libraries, or start other programs
}

// opening are the beginnings of the names of functions that load a library or start a program.
var opening = []string{"dlopen", "dlmopen", "exec", "fexec", "posix_spawn"}

// readDynamic reads little of the file, whatever that is.
func readDynamic(f *elf.File) (d dynamic) {
	var needed, folders []uint64
	var table, length uint64
	eachDynamic(f, func(tag elf.DynTag, value uint64) {
		switch tag {
		case elf.DT_NEEDED:
			needed = append(needed, value)
		case elf.DT_RPATH, elf.DT_RUNPATH:
			folders = append(folders, value)
		case elf.DT_STRTAB:
			table = value
		case elf.DT_STRSZ:
			length = value
		}
	})
	for _, offset := range needed {
		if name := textAt(f, table+offset); name != "" {
			d.needed = append(d.needed, name)
		}
	}
	for _, offset := range folders {
		d.folders = append(d.folders, strings.Split(textAt(f, table+offset), ":")...)
	}
	d.opens = opens(f, table, length)
	return d
}

// opens tells whether the names at an address of the program have one of the functions of opening. It takes a long
// table for one that has.
func opens(f *elf.File, table, length uint64) bool {
	const most = 1 << 18
	part := segment(f, table)
	if part == nil || length > most {
		return part != nil
	}
	names := make([]byte, length)
	n, _ := part.ReadAt(names, int64(table-part.Vaddr)) // an error: the segment ends here
	return slices.ContainsFunc(opening, func(function string) bool {
		return bytes.Contains(names[:n], []byte("\x00"+function))
	})
}

// eachDynamic calls do with the entries of PT_DYNAMIC.
func eachDynamic(f *elf.File, do func(tag elf.DynTag, value uint64)) {
	const most = 1 << 16
	word := 8
	if f.Class == elf.ELFCLASS32 {
		word = 4
	}
	number := func(b []byte) uint64 {
		if word == 4 {
			return uint64(f.ByteOrder.Uint32(b))
		}
		return f.ByteOrder.Uint64(b)
	}
	i := slices.IndexFunc(f.Progs, func(part *elf.Prog) bool { return part.Type == elf.PT_DYNAMIC })
	if i < 0 {
		return
	}
	entries, _ := io.ReadAll(io.LimitReader(f.Progs[i].Open(), most)) // an error: the file ends here
	for ; len(entries) >= 2*word; entries = entries[2*word:] {
		tag := elf.DynTag(number(entries))
		if tag == elf.DT_NULL {
			return
		}
		do(tag, number(entries[word:]))
	}
}

// segment returns the one that has an address of the program, nil if there is none.
func segment(f *elf.File, address uint64) *elf.Prog {
	i := slices.IndexFunc(f.Progs, func(part *elf.Prog) bool {
		return part.Type == elf.PT_LOAD && address >= part.Vaddr && address-part.Vaddr < part.Filesz
	})
	if i < 0 {
		return nil
	}
	return f.Progs[i]
}

// textAt returns the text at an address of the program.
func textAt(f *elf.File, address uint64) string {
	part := segment(f, address)
	if part == nil {
		return ""
	}
	return text(part, address-part.Vaddr)
}

// text returns the text that stands in a segment from there, whatever the file says of its length.
func text(part *elf.Prog, from uint64) string {
	b := make([]byte, 4096)             // the longest path
	n, _ := part.ReadAt(b, int64(from)) // an error: the segment ends here
	b, _, _ = bytes.Cut(b[:n], []byte{0})
	return string(b)
}
