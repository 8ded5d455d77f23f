package symbol

import (
	"cmp"
	"debug/dwarf"
	"path/filepath"
	"slices"
)

// debug is the debugging information of a file. That of a unit, which is what one source file was compiled to, is read
// when a place in it is asked for. What is damaged is left out.
type debug struct {
	data  *dwarf.Data // nil: there is none
	units []*unit
}

// A unit may have its code in several sections: that of main is apart from other functions, and in C++ each template
// has one. So it has several ranges of addresses, and several sequences of lines, which are in no order.
type unit struct {
	entry     *dwarf.Entry
	ranges    ranges
	sequences [][]row // nil: not read
	functions []function
}

// ranges are addresses, from the first to before the second of each.
type ranges [][2]uint64

func (r ranges) hold(at uint64) bool {
	return slices.ContainsFunc(r, func(r [2]uint64) bool { return at >= r[0] && at < r[1] })
}

// A row is where the code of a line begins. The last of a sequence is behind the code.
type row struct {
	address uint64
	file    string
	line    int
}

// A function has code of its own, or is put into the function before it in the unit that is around it.
type function struct {
	ranges  ranges
	inlined bool
	entry   *dwarf.Entry
	from    Place // if inlined: file and line of the call
}

// read finds the units. An address of 0 is that of code which the linker has left out.
func (d *debug) read(data *dwarf.Data) {
	d.data = data
	for r := data.Reader(); ; r.SkipChildren() {
		entry, err := r.Next()
		if err != nil || entry == nil || entry.Tag == 0 { // see readFunctions
			return
		}
		if entry.Tag == dwarf.TagCompileUnit {
			if own := d.ranges(entry); len(own) > 0 {
				d.units = append(d.units, &unit{entry: entry, ranges: own})
			}
		}
	}
}

func (d *debug) ranges(entry *dwarf.Entry) ranges {
	list, _ := d.data.Ranges(entry) // an error: there are none
	return slices.DeleteFunc(ranges(list), func(r [2]uint64) bool { return r[0] == 0 || r[0] >= r[1] })
}

// frames returns the places of an instruction, from the innermost function on. Names that are not known are "".
func (d *debug) frames(at uint64) (frames []Place) {
	i := slices.IndexFunc(d.units, func(u *unit) bool { return u.ranges.hold(at) })
	if i < 0 {
		return nil
	}
	u := d.units[i]
	if u.sequences == nil {
		d.readUnit(u)
	}
	here := u.line(at)
	for _, f := range slices.Backward(u.functions) {
		if f.ranges.hold(at) {
			here.Function = d.name(f.entry)
			frames = append(frames, here)
			here = f.from
			if !f.inlined {
				return frames
			}
		}
	}
	return append(frames, here)
}

// line returns the file and line of the code at an address.
func (u *unit) line(at uint64) Place {
	for _, rows := range u.sequences {
		i, _ := slices.BinarySearchFunc(rows, at,
			func(r row, at uint64) int { return cmp.Or(cmp.Compare(r.address, at), -1) }) // the first behind
		if i > 0 && i < len(rows) {
			return Place{File: rows[i-1].file, Line: rows[i-1].line}
		}
	}
	return Place{}
}

// readUnit reads the lines and the functions of a unit.
func (d *debug) readUnit(u *unit) {
	u.sequences = [][]row{}
	lines, err := d.data.LineReader(u.entry)
	if err != nil || lines == nil {
		return
	}
	var entry dwarf.LineEntry
	var rows []row
	for lines.Next(&entry) == nil {
		file := ""
		if entry.File != nil {
			file = filepath.Base(entry.File.Name)
		}
		rows = append(rows, row{entry.Address, file, entry.Line})
		if entry.EndSequence {
			if rows[0].address != 0 {
				u.sequences = append(u.sequences, rows)
			}
			rows = nil
		}
	}
	d.readFunctions(u, lines.Files())
}

// readFunctions reads which functions have code in a unit. A zero entry ends the children of another one. Damaged data
// may have zero entries without end, so they are counted.
func (d *debug) readFunctions(u *unit, files []*dwarf.LineFile) {
	r := d.data.Reader()
	r.Seek(u.entry.Offset)
	for depth := 0; ; {
		entry, err := r.Next()
		if err != nil || entry == nil {
			return
		}
		if entry.Children {
			depth++
		}
		switch entry.Tag {
		case 0:
			if depth--; depth <= 0 {
				return
			}
		case dwarf.TagCompileUnit, dwarf.TagPartialUnit, dwarf.TagTypeUnit:
			if entry.Offset != u.entry.Offset {
				return
			}
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock,
			dwarf.TagCatchDwarfBlock: // functions may stand in it
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			f := function{ranges: d.ranges(entry), inlined: entry.Tag == dwarf.TagInlinedSubroutine, entry: entry}
			if len(f.ranges) == 0 {
				skip(r, entry, &depth)
				continue
			}
			number, _ := entry.Val(dwarf.AttrCallFile).(int64)
			line, _ := entry.Val(dwarf.AttrCallLine).(int64)
			if number >= 0 && number < int64(len(files)) && files[number] != nil {
				f.from = Place{File: filepath.Base(files[number].Name), Line: int(line)}
			}
			u.functions = append(u.functions, f)
		default:
			skip(r, entry, &depth)
		}
	}
}

// skip leaves out the children of an entry.
func skip(r *dwarf.Reader, entry *dwarf.Entry, depth *int) {
	if r.SkipChildren(); entry.Children {
		*depth--
	}
}

// mostReferences is how many entries are asked for a name. A damaged file may have a circle of them.
const mostReferences = 8

// name returns the name of a function, or of the one which it is a copy of.
func (d *debug) name(entry *dwarf.Entry) (name string) {
	r := d.data.Reader()
	for range mostReferences {
		if symbol, _ := entry.Val(dwarf.AttrLinkageName).(string); mangled(symbol) {
			return readable(symbol)
		}
		own, _ := entry.Val(dwarf.AttrName).(string)
		name = cmp.Or(name, own)
		next, ok := cmp.Or(entry.Val(dwarf.AttrAbstractOrigin), entry.Val(dwarf.AttrSpecification)).(dwarf.Offset)
		if !ok {
			break
		}
		r.Seek(next)
		if entry, _ = r.Next(); entry == nil {
			break
		}
	}
	return name
}
