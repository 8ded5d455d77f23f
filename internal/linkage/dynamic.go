package linkage

import (
	"bytes"
	"debug/elf"
	"io"
	"slices"
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

// needed returns the libraries that PT_DYNAMIC names. Whatever the file is, it reads little of it.
func needed(f *elf.File) (names []string) {
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
		return nil
	}
	var offsets []uint64
	var table uint64
	entries, _ := io.ReadAll(io.LimitReader(f.Progs[i].Open(), most)) // an error: the file ends here
	for ; len(entries) >= 2*word; entries = entries[2*word:] {
		tag, value := elf.DynTag(number(entries)), number(entries[word:])
		if tag == elf.DT_NULL {
			break
		}
		if tag == elf.DT_NEEDED {
			offsets = append(offsets, value)
		}
		if tag == elf.DT_STRTAB {
			table = value
		}
	}
	for _, offset := range offsets {
		if name := textAt(f, table+offset); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// textAt returns the text at an address of the program.
func textAt(f *elf.File, address uint64) string {
	for _, part := range f.Progs {
		if part.Type == elf.PT_LOAD && address >= part.Vaddr && address-part.Vaddr < part.Filesz {
			return text(part, address-part.Vaddr)
		}
	}
	return ""
}

// text returns the text that stands in a segment from there, whatever the file says of its length.
func text(part *elf.Prog, from uint64) string {
	b := make([]byte, 4096)             // the longest path
	n, _ := part.ReadAt(b, int64(from)) // an error: the segment ends here
	b, _, _ = bytes.Cut(b[:n], []byte{0})
	return string(b)
}
