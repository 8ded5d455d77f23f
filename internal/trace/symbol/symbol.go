package symbol

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/trace"
)

// Resolve replaces the sites of a trace that are offsets of code by functions and lines, as far as
// these can be found. The error joins what stands in the way, once for each file; the other sites are
// there nevertheless.
func Resolve(t *trace.Trace) error {
	files := map[string]*file{}
	var all []error
	for rank := range t.Ranks {
		r := &t.Ranks[rank]
		for number, c := range r.Code {
			key := c.BuildID + " " + c.Path
			f, known := files[key]
			if !known {
				var err error
				if f, err = open(c.Path, c.BuildID); err != nil {
					all = append(all, err)
				}
				files[key] = f
			}
			if f != nil && number < len(r.Sites) {
				r.Sites[number] = cmp.Or(f.name(c.Offset), r.Sites[number])
			}
		}
	}
	return errors.Join(all...)
}

// file is what a program or library says of its code.
type file struct {
	segments  []elf.ProgHeader
	functions []elf.Symbol // by address
	debug     *dwarf.Data  // nil: there is none
}

// open reads the symbols of a file, which must be the one with the build id.
func open(path, id string) (*file, error) {
	f, err := sys.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("symbol: %w: its calls are named by offsets", err)
	}
	defer f.Close()
	if now := trace.BuildID(f); now != id {
		return nil,
			fmt.Errorf(
				"symbol: %s: it is another build than the one that was recorded (%s, and then %s): its calls "+
					"are named by offsets",
				path, cmp.Or(now, "none"), cmp.Or(id, "none"))
	}
	return read(f, path)
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
		s.debug, _ = e.DWARF() // damaged: then functions are all
	}
	return s, nil
}

// name returns function+distance of a return address, and the line of the call if that is known.
func (f *file) name(offset uint64) string {
	at, ok := f.address(offset)
	if !ok {
		return ""
	}
	name := f.function(at)
	if source, line := f.line(at - 1); line > 0 {
		return strings.TrimSuffix(fmt.Sprintf("%s:%d %s", source, line, name), " ")
	}
	return name
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

// function returns the function around an address, the instruction behind a call.
func (f *file) function(at uint64) string {
	i, _ := slices.BinarySearchFunc(f.functions, at,
		func(s elf.Symbol, at uint64) int { return cmp.Compare(s.Value, at) })
	if i == 0 {
		return ""
	}
	s := f.functions[i-1]
	if s.Size > 0 && at > s.Value+s.Size { // a call may be the last instruction
		return ""
	}
	return fmt.Sprintf("%s+%#x", s.Name, at-s.Value)
}

// Names names places in code by the function, and the file and line if these are known: "solve at solver.c:12". An
// address is that of an instruction, as the symbols of the file have it. A place that is not known is "".
func Names(path string, addresses []uint64) ([]string, error) {
	names := make([]string, len(addresses))
	f, err := openAny(path)
	if err != nil {
		return names, err
	}
	for i, at := range addresses {
		names[i] = f.place(at+1, at).String() // as if a call at this address had returned
	}
	return names, nil
}

// line returns the file and the line of the source around an address, 0 if that is not known.
func (f *file) line(at uint64) (source string, line int) {
	if f.debug == nil {
		return "", 0
	}
	r := f.debug.Reader()
	unit, err := r.SeekPC(at)
	if err != nil {
		return "", 0
	}
	lines, err := f.debug.LineReader(unit)
	if err != nil || lines == nil {
		return "", 0
	}
	var entry dwarf.LineEntry
	if err := lines.SeekPC(at, &entry); err != nil || entry.File == nil {
		return "", 0
	}
	return filepath.Base(entry.File.Name), entry.Line
}
