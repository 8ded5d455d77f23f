package capi

import (
	"sync"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/file"
)

// dataRep is how the data of a file is represented: MPI 5.0 section 14.5.
type dataRep struct {
	name string
	// Of native ones, which need no conversion, all else is nil.
	inFile           func(*typeObject) (*datatype.Type, error)
	toFile, fromFile func(t *typeObject, count int, native, there []byte) error
}

// dataReps are those that the program has registered.
type dataReps struct {
	mu   sync.Mutex
	list []*dataRep
}

var nativeRep = &dataRep{name: "native"}

// predefinedReps are those that there are without any doing.
var predefinedReps = []*dataRep{nativeRep, {name: "internal"}, {name: "external32", inFile: externalType,
	toFile: func(t *typeObject, n int, native, there []byte) error {
		return convert(t.Type, n, native, there, toExternal)
	},
	fromFile: func(t *typeObject, n int, native, there []byte) error {
		return convert(t.Type, n, native, there, toNative)
	},
}}

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
	return nil, fail(ERR_UNSUPPORTED_DATAREP, "the data representation %q is not known: pass native, internal, external32 "+
		"or one of MPI_Register_datarep", text)
}

// typeInFile is what a type is in the file.
func (r *dataRep) typeInFile(t *typeObject) (*datatype.Type, error) {
	if r.inFile == nil {
		return t.Type, nil
	}
	return r.inFile(t)
}

// inFile are the types of a view in the file.
func (o *openFile) inFile() (etype, filetype *datatype.Type, err error) {
	if etype, err = o.datarep.typeInFile(o.etype); err == nil {
		filetype, err = o.datarep.typeInFile(o.filetype)
	}
	return etype, filetype, err
}

// move does an access of count elements of a type, and returns the number of bytes in memory that were moved. What
// needs a conversion passes through a buffer as long as the access.
func (r *dataRep) move(f *file.File, a fileAccess, place file.Place, memory *comm.Buffer, t *typeObject,
	count int) (int, error) {
	if r.inFile == nil {
		return a.move(f, place, memory)
	}
	there, err := r.inFile(t)
	if err != nil {
		return 0, err
	}
	size := int(there.Size())
	native, converted := make([]byte, memory.Len()), make([]byte, count*size)
	if a.write {
		memory.Pack(native, 0)
		if err := r.toFile(t, count, native, converted); err != nil {
			return 0, err
		}
	}
	n, err := a.move(f, place, &comm.Buffer{Bytes: converted})
	if size == 0 {
		return 0, err
	}
	whole := n / size
	native = native[:whole*int(t.Size())]
	if err == nil && !a.write {
		err = r.fromFile(t, whole, native, converted[:n])
		memory.Unpack(native, 0)
	}
	return len(native), err
}

// externalType is what a type is in external32. Its basic elements have other sizes there; what counts extents of them
// goes with them, and displacements in bytes grow or shrink as the extent of the type that they place does.
func externalType(t *typeObject) (*datatype.Type, error) { return external(t.Type) }

func external(t *datatype.Type) (*datatype.Type, error) {
	c := t.Contents()
	if c.Combiner == datatype.CombinerNamed {
		return externalBasic(t)
	}
	changed := false
	for i, old := range c.Types {
		there, err := external(old)
		if err != nil {
			return nil, err
		}
		changed = changed || there != old
		c.Types[i] = there
	}
	if !changed {
		return t, nil
	}
	return scaled(t, c)
}

// externalBasic is external of a type without contents.
func externalBasic(t *datatype.Type) (*datatype.Type, error) {
	size := 0
	single := true
	t.Basics(func(count int64, basic *datatype.Type) bool {
		single = single && size == 0 && count == 1
		size += int(count) * externalOf(basic)
		return true
	})
	switch {
	case int64(size) == t.Size():
		return t, nil
	case !single:
		return nil, fail(ERR_UNSUPPORTED_DATAREP, "%v has another layout in external32: use types of one element", t)
	}
	return datatype.Basic(t.String(), traitsOf(t).basic.kind, int64(size), 1)
}

// scaled makes a type of other old types. old has those that it had.
func scaled(old *datatype.Type, c datatype.Contents) (*datatype.Type, error) {
	before := old.Contents().Types
	for i := range c.Displacements {
		_, was := before[min(i, len(before)-1)].Extent()
		_, is := c.Types[min(i, len(c.Types)-1)].Extent()
		if was == 0 || c.Displacements[i]*is%was != 0 {
			return nil, fail(ERR_UNSUPPORTED_DATAREP,
				"the displacement %d of %v is no multiple of an element, so it has no counterpart in the file",
				c.Displacements[i], old)
		}
		c.Displacements[i] = c.Displacements[i] * is / was
	}
	return c.Make()
}
