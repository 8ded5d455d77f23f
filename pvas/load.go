package pvas

import (
	"debug/elf"
	"encoding/binary"

	"github.com/gopvas/gopvas/internal/sys"
)

// load maps a program and its interpreter where the layout says. Text and
// read-only data are shared with every other task of the same file through the
// page cache. What a task may write is its own.
func load(l Layout, prog program) error {
	if !prog.through {
		if err := mapImage(prog.file, prog.img, l.Image.Start-prog.img.lo); err != nil {
			return &ImageError{prog.file.Name(), err}
		}
	}
	if prog.interp != nil {
		if err := mapImage(prog.ifile, prog.interp, l.Interp.Start-prog.interp.lo); err != nil {
			return &ImageError{prog.ifile.Name(), err}
		}
	}
	if prog.img.direct {
		relocate(prog.img, l.Offset)
	}
	return nil
}

func mapImage(f *sourceFile, img *image, bias uint64) error {
	for _, s := range img.segments {
		mapping := mapSegment
		if img.direct && s.flags&elf.PF_W != 0 {
			mapping = copySegment
		}
		if err := mapping(f, s, bias); err != nil {
			return err
		}
	}
	return nil
}

// copySegment maps anonymous memory with the bytes of the file. Segments that can be written lie side by side
// in a program that is entered directly. So relocated data, data and zeros are one memory area. The kernel walks
// all areas of the address space whenever a task ends: so few areas count more than PT_GNU_RELRO. That would protect
// the first part from the task itself alone; peers can write to it anyway. Nearly all these pages would be copied for
// their relocations.
func copySegment(f *sourceFile, s segment, bias uint64) error {
	start, end := here.pageDown(s.addr+bias), here.pageUp(s.end()+bias)
	if _, err := sys.Mmap(uintptr(start), uintptr(end-start), protection(s.flags),
		sys.MapPrivate|sys.MapFixed|sys.MapAnonymous, -1, 0); err != nil || s.fileSize == 0 {
		return err
	}
	memory := bytesAt(start, s.addr+bias+s.fileSize-start)
	sys.Populate(sys.AddrOf(memory), len(memory))
	_, err := f.ReadAt(memory, s.offset-int64(s.addr%here.page))
	return err
}

// mapSegment maps the pages that have bytes in the file, and clears the bytes after
// the last byte on its page. It adds anonymous pages for the rest (bss).
func mapSegment(f *sourceFile, s segment, bias uint64) error {
	prot := protection(s.flags)
	start, fileEnd, memEnd := here.pageDown(s.addr+bias), s.addr+bias+s.fileSize, here.pageUp(s.end()+bias)
	anonymous := start
	if s.fileSize > 0 {
		anonymous = here.pageUp(fileEnd)
		offset := s.offset - int64(s.addr%here.page)
		if _, err := sys.Mmap(uintptr(start), uintptr(anonymous-start), prot, sys.MapPrivate|sys.MapFixed,
			int(f.Fd()), offset); err != nil {
			return err
		}
		if s.memSize > s.fileSize && prot&sys.ProtWrite != 0 {
			clear(bytesAt(fileEnd, anonymous-fileEnd))
		}
	}
	if anonymous >= memEnd {
		return nil
	}
	_, err := sys.Mmap(uintptr(anonymous), uintptr(memEnd-anonymous), prot,
		sys.MapPrivate|sys.MapFixed|sys.MapAnonymous, -1, 0)
	return err
}

func protection(flags elf.ProgFlag) (prot int) {
	for _, p := range []struct {
		flag elf.ProgFlag
		prot int
	}{{elf.PF_R, sys.ProtRead}, {elf.PF_W, sys.ProtWrite}, {elf.PF_X, sys.ProtExec}} {
		if flags&p.flag != 0 {
			prot |= p.prot
		}
	}
	return prot
}

// relocate works as a dynamic linker does for a program without libraries: it adds the bias to
// every recorded word.
func relocate(img *image, bias uint64) {
	memory := bytesAt(img.lo+bias, img.hi-img.lo)
	le := binary.LittleEndian
	img.packed.each(func(offset uint64) bool {
		word := memory[offset-img.lo:]
		le.PutUint64(word, le.Uint64(word)+bias)
		return true
	})
	for _, r := range img.relocs {
		le.PutUint64(memory[r.offset-img.lo:], r.addend+bias)
	}
}
