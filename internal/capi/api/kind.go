package api

import (
	"fmt"
	"slices"
	"strings"
)

// Shape says how an argument holds its element.
type Shape int

const (
	Value      Shape = iota // the element itself
	Pointer                 // a pointer to one element
	In                      // an array that is read
	Out                     // an array that is written
	InOfArrays              // an array of arrays: [][]string, [][3]int
	Argv                    // the char *** of MPI_Init
)

// Growth says what an argument becomes in the large form of a function.
type Growth int

const (
	Stays      Growth = iota
	ToCount           // int or Aint become Count, a callback its own large form
	ToAint            // int becomes Aint
	Additional        // the argument exists in the large form only
)

// Kind is the type of an argument, in the notation of functions.txt.
type Kind struct {
	Base   string // int, Aint, Offset, Count, Address, char, string, Status, a handle, a callback
	Shape  Shape
	Const  bool // of an Address or a *Status: it is only read
	Growth Growth
}

// handles are the opaque objects of the ABI, in the order of mpi.h.
var handles = []string{
	"Op", "Comm", "Group", "Win", "File", "Session", "Message", "Info", "Errhandler", "Request", "Datatype",
	"T_enum", "T_cvar_handle", "T_pvar_handle", "T_pvar_session", "T_event_registration", "T_event_instance",
	"X_Graph",
}

// extension begins the names of what the standard does not have.
const extension = "X_"

// CName is a name of the table as C knows it.
func CName(name string) string {
	if strings.HasPrefix(name, extension) {
		return "MPI" + name
	}
	return "MPI_" + name
}

// Handles returns the opaque objects of the ABI, without MPI_.
func Handles() []string { return handles }

// Handle tells whether the element is an opaque object.
func (k Kind) Handle() bool {
	return slices.Contains(handles, k.Base)
}

// Wide tells whether a handle has 64 bits in every face.
func (k Kind) Wide() bool {
	return k.Base == "File" || strings.HasPrefix(k.Base, "T_") || strings.HasPrefix(k.Base, extension)
}

// Callback tells whether the element is a function of the caller.
func (k Kind) Callback() bool {
	return strings.HasSuffix(strings.TrimSuffix(k.Base, "_c"), "_function")
}

// Grown is the kind in the large form.
func (k Kind) Grown() Kind {
	switch {
	case k.Growth == ToCount && k.Callback():
		k.Base += "_c"
	case k.Growth == ToCount:
		k.Base = "Count"
	case k.Growth == ToAint:
		k.Base = "Aint"
	}
	return k
}

// Narrow tells whether the elements are C ints.
func (k Kind) Narrow() bool { return k.Base == "int" }

// shapes are the prefixes of the notation, the longer ones first.
var shapes = []struct {
	prefix string
	shape  Shape
}{
	{"[][]", InOfArrays}, {"[][3]", InOfArrays}, {"[out]", Out}, {"[]", In}, {"***", Argv}, {"*", Pointer},
}

func parseKind(text string) (Kind, error) {
	var k Kind
	text, k.Const = strings.CutPrefix(text, "const ")
	for _, s := range shapes {
		if rest, ok := strings.CutPrefix(text, s.prefix); ok {
			text, k.Shape = rest, s.shape
			break
		}
	}
	if rest, ok := strings.CutSuffix(text, "+"); ok {
		text, k.Growth = rest, ToCount
	} else if rest, ok := strings.CutSuffix(text, "^"); ok {
		text, k.Growth = rest, ToAint
	}
	k.Base = text
	return k, k.check()
}

// check finds a kind that the notation does not have.
func (k Kind) check() error {
	switch k.Base {
	case "int", "Aint", "Offset", "Count", "Address", "char", "string", "Status", "T_cb_safety", "T_source_order":
		return nil
	}
	if k.Handle() || k.Callback() {
		return nil
	}
	return fmt.Errorf("unknown kind %q; kind.go lists the kinds", k.Base)
}
