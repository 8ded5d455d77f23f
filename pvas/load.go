package pvas

import (
	"debug/elf"
	"encoding/binary"
	"slices"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// load maps a program and its interpreter where the layout says. Tasks share each page of a file that they have not
// written, through the page cache. That holds also for memory that they may write: a page becomes a task's own by its
// first relocation or store. In Go programs one page of seven that may be written has neither.
//
// Relocated data stays writable (PT_GNU_RELRO is not heeded). Protection would divide a memory area, and the kernel
// walks all areas of the address space whenever a task ends. It would be against the task itself alone: peers can
// write there anyway.
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
		if err := mapSegment(f, s, bias); err != nil {
			return err
		}
	}
	return nil
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
	img.takePages(bias)
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

// takePages gives the task its own copies of the pages that have words to relocate, a call for each run of them. So the
// kernel is not asked page by page.
func (img *image) takePages(bias uint64) {
	for _, run := range img.taken {
		sys.Populate(uintptr(run.start+bias), int(run.end-run.start))
	}
}

// pagesToTake are the runs. The linker of Go writes relocations in no order, but neighbours are often of one page: to
// sort the pages takes a tenth of the time that it takes to sort the relocations.
func (img *image) pagesToTake() (runs []span) {
	var pages []uint64
	add := func(offset uint64) bool {
		for _, page := range [...]uint64{here.pageDown(offset), here.pageDown(offset + 7)} {
			if n := len(pages); n == 0 || pages[n-1] != page {
				pages = append(pages, page)
			}
		}
		return true
	}
	img.packed.each(add)
	for _, r := range img.relocs {
		add(r.offset)
	}
	slices.Sort(pages)
	for _, page := range slices.Compact(pages) {
		if n := len(runs); n > 0 && runs[n-1].end == page {
			runs[n-1].end += here.page
		} else {
			runs = append(runs, span{page, page + here.page})
		}
	}
	return runs
}
