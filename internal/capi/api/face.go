package api

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed openmpi.txt
var openMPIText string

//go:embed mpich.txt
var mpichText string

// Face is a binary interface of the library: the constants that programs were compiled with, and what their
// predefined handles are.
type Face struct {
	Tag        string       // of the build; "": of the standard ABI
	Title      string       // whose it is
	Constants  []Group      // handles among them have the numbers of the standard ABI
	Form       HandleForm   // of handles
	Predefined []Predefined // handles that are not those numbers
	Status     []string     // the fields of an MPI_Status in C
	StatusSize int          // its bytes
	Version    string       // what MPI_Get_library_version says
}

// HandleForm is what handles of a face are.
type HandleForm int

const (
	Numbers HandleForm = iota // those of package capi, which are those of the standard ABI
	Objects                   // numbers, but predefined ones are addresses of objects
	Ints                      // of 32 bits, but MPI_File is a pointer; predefined ones have values of their own
)

// Predefined is a predefined handle. As an object its first word is the number of the handle in package capi.
type Predefined struct {
	Name   string // of the handle, without MPI_; "" if the program has it by Symbol alone
	Kind   string // Comm and the like
	Number int    // in package capi

	// Of a face with objects.
	Symbol  string // of the object
	Bytes   int    // its size
	Fortran int    // the handle in Fortran, -1: none

	Value uint32 // of a face with ints
}

// Standard is the face of the standard ABI.
func Standard() (Face, error) {
	groups, err := Constants()
	return Face{Title: "MPI 5.0, standard ABI 1.0. Clean in C89 and C++98, where the compiler has stdint.h.",
		Constants: groups, StatusSize: 32, Version: "gopvas, MPI 5.0, MPI ABI 1.0",
		Status: []string{"int MPI_SOURCE", "int MPI_TAG", "int MPI_ERROR", "int MPI_internal[5]"}}, err
}

// OpenMPI is the face of Open MPI 4 and 5.
func OpenMPI() (Face, error) {
	f := Face{Tag: "openmpi", Title: "The binary interface of Open MPI 4 and 5, libmpi.so.40.", Form: Objects,
		StatusSize: 24, Version: "gopvas, with the ABI of Open MPI 4.1 (libmpi.so.40), MPI 3.1",
		Status: []string{"int MPI_SOURCE", "int MPI_TAG", "int MPI_ERROR", "int MPI_internal[3]"}}
	err := f.read("[objects]", 5, openMPIText)
	return f, err
}

// MPICH is the face of MPICH 3.1 to 5, and of MPIs that are made from it.
func MPICH() (Face, error) {
	f := Face{Tag: "mpich", Title: "The binary interface of MPICH 3.1 to 5, libmpi.so.12.", Form: Ints,
		StatusSize: 20, Version: "gopvas, with the ABI of MPICH 4 (libmpi.so.12), MPI 4.0",
		Status: []string{"int count_lo", "int count_hi_and_cancelled", "int MPI_SOURCE", "int MPI_TAG",
			"int MPI_ERROR"}}
	err := f.read("[handles]", 2, mpichText)
	return f, err
}

// read reads where the face differs from the standard ABI. A line of a predefined handle, which are in one part of the
// text, has so many words.
func (f *Face) read(handles string, words int, text string) (err error) {
	if f.Constants, err = Constants(); err != nil {
		return err
	}
	part := ""
	for i, line := range strings.Split(text, "\n") {
		w := strings.Fields(line)
		switch {
		case len(w) == 0 || line[0] == '#':
		case line[0] == '[':
			part = line
		case part == handles && len(w) == words:
			err = f.predefine(w)
		case part != handles && len(w) == 2:
			err = f.renumber(w[0], w[1])
		default:
			err = fmt.Errorf("%q is neither NAME NUMBER nor a predefined handle", line)
		}
		if err != nil {
			return fmt.Errorf("api: read line %d of %s.txt: %w", i+1, f.Tag, err)
		}
	}
	return nil
}

// constant finds a constant by its name, and its group.
func (f *Face) constant(name string) (*Constant, Group, error) {
	for _, g := range f.Constants {
		if i := slices.IndexFunc(g.Constants, func(c Constant) bool { return c.Name == name }); i >= 0 {
			return &g.Constants[i], g, nil
		}
	}
	return nil, Group{}, errors.New("the ABI has no constant " + name)
}

// renumber gives a constant another number.
func (f *Face) renumber(name, text string) error {
	c, _, err := f.constant(name)
	if err != nil {
		return err
	}
	value, err := strconv.ParseInt(text, 0, 64)
	c.Text, c.Value = text, int(value)
	return err
}

// predefine adds a predefined handle: NAME KIND OBJECT BYTES FORTRAN, or NAME INT.
func (f *Face) predefine(words []string) error {
	name, number, own := strings.Cut(words[0], "=")
	name, again := strings.CutSuffix(name, "+")
	p := Predefined{Name: name, Fortran: -1}
	if own { // as yet these are datatypes, and an error handler
		n, err := strconv.ParseInt(number, 0, 64)
		if err != nil {
			return err
		}
		if p.Number, p.Kind = int(n), "Datatype"; strings.HasPrefix(name, "ERRORS_") {
			p.Kind = "Errhandler"
		}
	} else {
		c, g, err := f.constant(name)
		if err != nil {
			return err
		}
		p.Number, p.Kind = c.Value, g.Title
	}
	if again {
		p.Name = ""
	}
	err := p.represent(words[1:])
	f.Predefined = append(f.Predefined, p)
	return err
}

// represent reads what the handle is.
func (p *Predefined) represent(words []string) (err error) {
	if len(words) == 1 {
		value, err := strconv.ParseUint(words[0], 0, 32)
		p.Value = uint32(value)
		return err
	}
	p.Kind, p.Symbol = words[0], words[1]
	if p.Bytes, err = strconv.Atoi(words[2]); err == nil && words[3] != "-" {
		p.Fortran, err = strconv.Atoi(words[3])
	}
	return err
}

// StatusIgnore is the address that is MPI_STATUS_IGNORE.
func (f *Face) StatusIgnore() int {
	c, _, err := f.constant("STATUS_IGNORE")
	if err != nil {
		return 0
	}
	return c.Value
}
