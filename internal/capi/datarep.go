package capi

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/file"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// dataRep is how the data of a file is represented: MPI 5.0 section 14.5. In a native one, which has no functions,
// it is as in memory.
type dataRep struct {
	name    string
	size    func(basic *datatype.Type) (int, error) // of a basic element in the file
	convert func(*conversion) error
}

// conversion is elements of a type, in memory and as they are in the file: there one after the other, without gaps.
type conversion struct {
	toFile bool
	t      *typeObject
	handle Type
	count  int
	at     Address
	memory comm.Buffer
	there  []byte
}

// dataReps are those that the program has registered.
type dataReps struct {
	mu   sync.Mutex
	list []*dataRep
}

var nativeRep = &dataRep{name: "native"}

// predefinedReps are those that there are without any doing.
var predefinedReps = []*dataRep{nativeRep, {name: "internal"},
	{name: "external32", convert: convertExternal,
		size: func(basic *datatype.Type) (int, error) { return externalOf(basic), nil }}}

// convertExternal converts to external32, or back.
func convertExternal(c *conversion) error {
	native, err := room(c.count, int(c.t.Size()))
	if err != nil {
		return err
	}
	if c.toFile {
		c.memory.Pack(native, 0)
		return convert(c.t.Type, c.count, native, c.there, toExternal)
	}
	err = convert(c.t.Type, c.count, native, c.there, toNative)
	c.memory.Unpack(native, 0)
	return err
}

// dataRep returns the representation of a name.
func (p *Process) dataRep(name CString) (*dataRep, error) {
	text, err := name.given()
	if err != nil {
		return nil, err
	}
	p.dataReps.mu.Lock()
	defer p.dataReps.mu.Unlock()
	for _, list := range [][]*dataRep{predefinedReps, p.dataReps.list} {
		for _, r := range list {
			if r.name == text {
				return r, nil
			}
		}
	}
	return nil, fail(ERR_UNSUPPORTED_DATAREP, "the data representation %q is not known: "+
		"pass native, internal, external32 or one of MPI_Register_datarep", text)
}

// typeInFile is what a type is in the file.
func (r *dataRep) typeInFile(t *typeObject) (*datatype.Type, error) {
	if r.convert == nil {
		return t.Type, nil
	}
	return resized(t.Type, r.size)
}

// inFile are the types of a view in the file.
func (o *openFile) inFile() (etype, filetype *datatype.Type, err error) {
	if etype, err = o.datarep.typeInFile(o.etype); err == nil {
		filetype, err = o.datarep.typeInFile(o.filetype)
	}
	return etype, filetype, err
}

// access does an access whose data passes through a buffer as long as it. It returns the number of bytes in memory that
// were moved.
func (r *dataRep) access(f *file.File, way fileAccess, a *file.Access, c *conversion) (int, error) {
	inFile, err := r.typeInFile(c.t)
	size := 0
	if err == nil {
		size = int(inFile.Size())
		c.memory = a.Memory
		c.there, err = room(c.count, size)
		a.Memory = comm.Bytes(c.there)
	}
	if err == nil && a.Write {
		err = r.convert(c)
	}
	a.Wrong = err
	n, err := way.do(f, a)
	if size == 0 || err != nil {
		return 0, err
	}
	if c.count, c.there = n/size, c.there[:n-n%size]; !a.Write {
		err = r.convert(c)
	}
	return c.count * int(c.t.Size()), err
}

// resized is what a type is where its basic elements have other sizes. What counts extents of them goes with them, and
// displacements in bytes grow or shrink as the extent of the type that they place does.
func resized(t *datatype.Type, size func(*datatype.Type) (int, error)) (*datatype.Type, error) {
	c := t.Contents()
	if c.Combiner == datatype.CombinerNamed {
		return resizedBasic(t, size)
	}
	before := c.Types
	c.Types, c.Displacements = slices.Clone(before), slices.Clone(c.Displacements)
	changed := false
	for i, old := range before {
		var err error
		if c.Types[i], err = resized(old, size); err != nil {
			return nil, err
		}
		changed = changed || c.Types[i] != old
	}
	if !changed {
		return t, nil
	}
	for i, d := range c.Displacements {
		_, was := before[min(i, len(before)-1)].Extent()
		_, is := c.Types[min(i, len(before)-1)].Extent()
		if was == 0 || d*is%was != 0 {
			return nil, fail(ERR_UNSUPPORTED_DATAREP,
				"the displacement %d of %v is no multiple of an element, so it has no counterpart in the file", d, t)
		}
		c.Displacements[i] = d * is / was
	}
	return c.Make()
}

// resizedBasic is resized of a type without contents.
func resizedBasic(t *datatype.Type, size func(*datatype.Type) (int, error)) (*datatype.Type, error) {
	total, elements := 0, 0
	var err error
	t.Basics(func(count int64, basic *datatype.Type) bool {
		var n int
		n, err = size(basic)
		total, elements = total+int(count)*n, elements+int(count)
		return err == nil
	})
	switch {
	case err != nil:
		return nil, err
	case int64(total) == t.Size():
		return t, nil
	case elements != 1:
		return nil, fail(ERR_UNSUPPORTED_DATAREP, "%v has another layout in the file: use types of one element", t)
	}
	return datatype.Basic(t.String(), traitsOf(t).basic.kind, int64(total), 1)
}

// Register_datarep is MPI_Register_datarep.
func (p *Process) Register_datarep(name CString, read, write, extent Func, extra Address) error {
	text, err := name.given()
	switch {
	case err != nil:
		return err
	case text == "" || len(text) >= MAX_DATAREP_STRING:
		return fail(ERR_ARG, "a name has 1 to %d characters, this one has %d", MAX_DATAREP_STRING-1, len(text))
	case extent.Entry == 0:
		return fail(ERR_ARG, "the function that returns the extent in the file is a null pointer")
	}
	if _, err := p.dataRep(name); err == nil {
		return fail(ERR_DUP_DATAREP, "there is a data representation %q already", text)
	}
	p.dataReps.mu.Lock()
	defer p.dataReps.mu.Unlock()
	p.dataReps.list = append(p.dataReps.list, &dataRep{name: text,
		size: func(basic *datatype.Type) (int, error) { return p.userExtent(extent, extra, basic) },
		convert: func(c *conversion) error {
			if c.toFile {
				return p.userConversion(write, extra, c)
			}
			return p.userConversion(read, extra, c)
		}})
	return nil
}

// userExtent asks the program for the size of a basic element in the file.
func (p *Process) userExtent(f Func, extra Address, basic *datatype.Type) (int, error) {
	cells := newCells(1)
	at := addressOf(cells, 0)
	err := p.callbackError(Upcall(f.Entry, []uintptr{outward(uintptr(traitsOf(basic).handle)), at, uintptr(extra)}))
	return loadInt(at, true), err
}

// userConversion has the program convert. Without a function of it the data is the same in both places.
func (p *Process) userConversion(f Func, extra Address, c *conversion) error {
	switch {
	case f.Entry == 0 && c.toFile:
		c.memory.Pack(c.there, 0)
		return nil
	case f.Entry == 0:
		c.memory.Unpack(c.there, 0)
		return nil
	case c.count == 0:
		return nil
	}
	return p.callbackError(Upcall(f.Entry, []uintptr{uintptr(c.at), outward(uintptr(c.handle)), uintptr(c.count),
		sys.AddrOf(c.there), 0, uintptr(extra)}))
}
