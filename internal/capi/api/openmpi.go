package api

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

//go:embed openmpi.txt
var openMPIText string

// Face is a binary interface of the library: the constants that programs were compiled with, and what their
// predefined handles are.
type Face struct {
	Constants  []Group  // handles among them have the numbers of the standard ABI
	Objects    []Object // empty: predefined handles are numbers
	StatusSize int      // bytes of an MPI_Status
	Version    string   // what MPI_Get_library_version says
}

// Object is a predefined handle that is the address of an object. The first word of the object is the number of the
// handle in package capi.
type Object struct {
	Name    string // of the handle, without MPI_; "" if the program has it by Symbol alone
	Kind    string // Comm and the like
	Symbol  string // of the object
	Bytes   int    // its size
	Number  int
	Fortran int // the handle in Fortran, -1: none
}

// Standard is the face of the standard ABI.
func Standard() (Face, error) {
	groups, err := Constants()
	return Face{Constants: groups, StatusSize: 32, Version: "gopvas, MPI 5.0, MPI ABI 1.0"}, err
}

// OpenMPI is the face of Open MPI 4 and 5.
func OpenMPI() (Face, error) {
	f := Face{StatusSize: 24, Version: "gopvas, with the ABI of Open MPI 4.1 (libmpi.so.40), MPI 3.1"}
	groups, err := Constants()
	if err != nil {
		return f, err
	}
	known := map[string]*Constant{}
	for _, g := range groups {
		for i := range g.Constants {
			known[g.Constants[i].Name] = &g.Constants[i]
		}
	}
	f.Constants = groups
	part := ""
	for i, line := range strings.Split(openMPIText, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] == '[':
			part = line
		case part == "[objects]" && len(words) == 5:
			var o Object
			if o, err = parseObject(words, known); err == nil {
				f.Objects = append(f.Objects, o)
			}
		case part != "[objects]" && len(words) == 2:
			err = known[words[0]].renumber(words[1])
		default:
			err = fmt.Errorf("%q is neither NAME NUMBER nor NAME KIND OBJECT BYTES FORTRAN", line)
		}
		if err != nil {
			return f, fmt.Errorf("api: read line %d of openmpi.txt: %w", i+1, err)
		}
	}
	return f, nil
}

// renumber gives a constant another number.
func (c *Constant) renumber(text string) error {
	if c == nil {
		return errors.New("the ABI has no such constant")
	}
	value, err := strconv.ParseInt(text, 0, 64)
	c.Text, c.Value = text, int(value)
	return err
}

// parseObject reads NAME KIND OBJECT BYTES FORTRAN.
func parseObject(words []string, known map[string]*Constant) (o Object, err error) {
	name, number, own := strings.Cut(words[0], "=")
	name, again := strings.CutSuffix(name, "+")
	o = Object{Name: name, Kind: words[1], Symbol: words[2], Fortran: -1}
	switch c, ok := known[name]; {
	case own:
		n, err := strconv.ParseInt(number, 0, 64)
		if err != nil {
			return o, err
		}
		o.Number = int(n)
	case !ok:
		return o, fmt.Errorf("the ABI has no handle %s", name)
	default:
		o.Number = c.Value
	}
	if again {
		o.Name = ""
	}
	if o.Bytes, err = strconv.Atoi(words[3]); err != nil {
		return o, err
	}
	if words[4] != "-" {
		o.Fortran, err = strconv.Atoi(words[4])
	}
	return o, err
}
