package symbol

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"slices"
	"strings"
)

// file is what a program or library says of its code.
type file struct {
	segments  []elf.ProgHeader
	functions []elf.Symbol // by address
	debug     debug
}

// read reads the symbols of an open file.
func read(f io.ReaderAt, path string) (*file, error) {
	e, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("symbol: %s: %w", path, err)
	}
	s := &file{}
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			s.segments = append(s.segments, p.ProgHeader)
		}
	}
	for _, symbols := range []func() ([]elf.Symbol, error){e.Symbols, e.DynamicSymbols} {
		list, _ := symbols() // none: then there is nothing to find
		for _, symbol := range list {
			if elf.ST_TYPE(symbol.Info) == elf.STT_FUNC && symbol.Value != 0 {
				s.functions = append(s.functions, symbol)
			}
		}
	}
	slices.SortStableFunc(s.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	if e.Section(".debug_line") != nil || e.Section(".zdebug_line") != nil {
		if data, err := e.DWARF(); err == nil { // damaged: then functions are all
			s.debug.read(data)
		}
	}
	return s, nil
}

// address turns an offset in the file into an address as symbols have it.
func (f *file) address(offset uint64) (uint64, bool) {
	for _, p := range f.segments {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// symbol returns the symbol of the function around an address.
func (f *file) symbol(at uint64) (s elf.Symbol, ok bool) {
	i, _ := slices.BinarySearchFunc(f.functions, at,
		func(s elf.Symbol, at uint64) int { return cmp.Or(cmp.Compare(s.Value, at), -1) }) // the first behind
	if i == 0 {
		return s, false
	}
	s = f.functions[i-1]
	return s, s.Size == 0 || at-s.Value < s.Size
}

// frames is Files.Frames.
func (f *file) frames(at uint64) []Place {
	s, known := f.symbol(at)
	frames := f.debug.frames(at)
	if len(frames) == 0 && known {
		frames = make([]Place, 1)
	}
	if outer := len(frames) - 1; known && (frames[outer].Function == "" || mangled(s.Name)) {
		frames[outer].Function = readable(s.Name)
	}
	return frames
}

// site names the place of a call in a trace: "solver.c:12 solve+0x1f". The distance is that of the instruction behind
// the call, whose offset in the file is given. If the compiler has put the function into another, the name is
// "solver.c:12 solve in main+0x1f".
func (f *file) site(offset uint64) string {
	at, ok := f.address(offset)
	if !ok {
		return ""
	}
	frames := f.frames(at - 1)
	if len(frames) == 0 {
		return ""
	}
	inner, name := frames[0], frames[len(frames)-1].Function
	if s, known := f.symbol(at - 1); known {
		name += fmt.Sprintf("+%#x", at-s.Value)
	}
	if len(frames) > 1 {
		name = inner.Function + " in " + name
	}
	if inner.Line > 0 {
		return strings.TrimSuffix(fmt.Sprintf("%s:%d %s", inner.File, inner.Line, name), " ")
	}
	return name
}
