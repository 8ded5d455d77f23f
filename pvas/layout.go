package pvas

import "fmt"

// The layout of a partition, low to high. Page tables decide it: with pages of 4 KiB one table page
// maps 2 MiB, one table of those 1 GiB. So the memory that a task touches lies together.
//
//	base                                                       base + size
//	|- guard -|---- stack ----|- small region -|- program -|- interpreter -|---- arena ----|
//	  1 MiB                   ^ its end: stackShare above a 2 MiB boundary
//
// The used top of the stack, the small region and the first 2 MiB of the program share a
// table page. The small region is for the little that every task needs to share: behind the
// program it would take a table page of its own where a program ends with much
// untouched bss (crypto/rand alone has 32 MiB). To the kernel it and the stack are one
// memory area. The guard is the untouched part of the reservation, so it costs no
// mapping of its own: it merges with the unused end of the arena before it.
// The arena is the rest, without a gap that would be a mapping of its own: PROT_NONE
// until the runtime package of the rank makes parts of it usable.
const (
	guardSize  = 1 << 20  // as Linux
	stackShare = 64 << 10 // of the stack, above the 2 MiB boundary
	tableSpan  = 2 << 20  // mapped by one table page

	defaultPartition = 64 << 30
)

// A Range is a half-open range [Start, End) of addresses.
type Range struct {
	Start uint64 `json:"start"`
	End   uint64 `json:"end"`
}

// Len returns the length in bytes.
func (r Range) Len() uint64 { return r.End - r.Start }

// A Layout is where the parts of one task lie.
type Layout struct {
	Partition   int    `json:"partition"`
	Base        uint64 `json:"base"`   // of the partition
	Size        uint64 `json:"size"`   // of the partition, bytes
	Image       Range  `json:"image"`  // the program's segments; empty where its dynamic linker maps them, elsewhere
	Interp      Range  `json:"interp"` // its dynamic linker; empty where none is needed
	Stack       Range  `json:"stack"`
	SmallRegion Range  `json:"small_region"` // readable and writable, zeros; for the runtime of the task
	Arena       Range  `json:"arena"`        // free for the runtime of the task; PROT_NONE
	Entry       uint64 `json:"entry"`        // where the task starts
	// Offset is that of the program's addresses to those in its file, modulo 2^64. Debuggers ask for it.
	Offset uint64 `json:"offset"`
	// ExitHooks is the address of the variable in which the runtime of a Go program has the functions to call at its
	// end, 0: unknown. See package exit.
	ExitHooks uint64 `json:"-"`
}

// program is everything loaded for one task.
type program struct {
	file   *sourceFile
	img    *image
	ifile  *sourceFile // nil where no interpreter is loaded
	interp *image
	argv0  bool // the interpreter takes --argv0

	through bool // the interpreter loads the program, see origin.go
}

// extents are the lengths of the parts that lie in front of a program, in bytes.
type extents struct{ stack, small uint64 }

// lay places a program in a partition.
func lay(partition int, base, size uint64, prog program, front extents) (Layout, error) {
	l := Layout{Partition: partition, Base: base, Size: size}
	top := base + alignUp(guardSize+front.stack, tableSpan) + stackShare
	l.Stack = Range{top - front.stack, top}
	l.SmallRegion = Range{top, top + front.small}
	l.Image = Range{l.SmallRegion.End, l.SmallRegion.End}
	if !prog.through {
		l.Image = place(prog.img, l.SmallRegion.End)
		l.Offset = l.Image.Start - prog.img.lo
		l.Entry = prog.img.entry + l.Offset
		if prog.img.hooks != 0 {
			l.ExitHooks = prog.img.hooks + l.Offset
		}
	}
	end := l.Image.End
	if prog.interp != nil {
		l.Interp = place(prog.interp, end)
		l.Entry = prog.interp.entry + l.Interp.Start - prog.interp.lo
		end = l.Interp.End
	}
	l.Arena = Range{end, base + size}
	if l.Arena.Start >= l.Arena.End {
		return Layout{},
			fmt.Errorf("%w: %d MiB hold no stack of %d MiB and image of %d MiB: give --partition-size a larger power "+
				"of two, or take a smaller stack (--stack-size, ulimit -s)",
				ErrTooSmall, size>>20, front.stack>>20, (end-top)>>20)
	}
	return l, nil
}

// place returns the range an image takes at the first fit address from at on.
func place(img *image, at uint64) Range {
	// The bias may be "negative"; unsigned arithmetic wraps the right way.
	bias := alignUp(at-img.lo, img.align)
	return Range{img.lo + bias, img.hi + bias}
}
