package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// What the generated files for Fortran have in common: which functions there are, and how
// Fortran sees their arguments. Handles are INTEGERs and all is passed by reference.

// notInFortran are chapters without a binding for Fortran.
var notInFortran = []string{"Tool interface", "Handles as integers"}

// fortranForms are the functions that Fortran programs call, with their large forms.
func fortranForms(t *table) []api.Function {
	return slices.DeleteFunc(t.standard(), func(f api.Function) bool {
		return slices.Contains(notInFortran, f.Chapter)
	})
}

// fortranFunctions are those that mpif.h and the module mpi have.
func fortranFunctions(t *table) []api.Function {
	return slices.DeleteFunc(fortranForms(t), func(f api.Function) bool { return f.Form == api.Large })
}

// withoutError are the subroutines that do not have ierror as last argument.
var withoutError = []string{"Pcontrol"}

// logicals are the arguments that are LOGICAL, which is an int of 0 or 1 for gfortran.
var logicals = []string{"flag", "reorder", "periods", "remain_dims", "commute", "high", "weighted", "is_set"}

// fortranArgs are the arguments of a function in Fortran, without ierror. The arguments of the
// program are no matter of Fortran.
func fortranArgs(f api.Function) []api.Arg {
	args := f.Own()
	i := slices.IndexFunc(args, func(a api.Arg) bool { return a.Name == "argc" })
	if i >= 0 {
		args = slices.Delete(args, i, i+2)
	}
	return args
}

// text tells whether an argument is CHARACTER, which has a length at the end.
func text(a api.Arg) bool { return a.Base == "string" || a.Base == "char" }

// oldAttribute tells whether a function is of MPI 1, where attributes are default INTEGERs.
func oldAttribute(f api.Function) bool {
	return strings.HasPrefix(f.Name, "Attr_") || strings.HasPrefix(f.Name, "Keyval_")
}

// addressWord tells whether a void * is an integer of the size of an address.
func addressWord(a api.Arg) bool {
	switch a.Name {
	case "attribute_val", "attribute_val_in", "attribute_val_out", "extra_state", "baseptr":
		return a.Base == "Address"
	}
	return false
}

// pointed tells whether an argument may be a TYPE(C_PTR), too.
func pointed(a api.Arg) bool { return a.Name == "baseptr" }

// hasPointer tells whether a function has such an argument.
func hasPointer(f api.Function) bool { return slices.ContainsFunc(fortranArgs(f), pointed) }

// choice tells whether an argument is a buffer of any type.
func choice(a api.Arg) bool { return a.Base == "Address" && !addressWord(a) }

// written tells whether a function may write an argument.
func written(a api.Arg) bool {
	return a.Shape == api.Out || a.Shape == api.Pointer && !a.Const
}

// fortranName is the name of an argument, which may be a keyword in calls.
func fortranName(a api.Arg) string {
	if a.Name == "indx" { // C has a function index
		return "index"
	}
	return a.Name
}

// fortranKind is the type of an argument in Fortran.
func fortranKind(f api.Function, a api.Arg, d dialect) string {
	switch {
	case a.Callback() && d == f08:
		return "PROCEDURE(MPI_" + a.Base + ")"
	case a.Callback():
		return "EXTERNAL"
	case d != integers && pointed(a), d == f08 && detached(a):
		return "TYPE(C_PTR)"
	case d == f08 && (a.Handle() || a.Base == "Status"):
		return "TYPE(MPI_" + a.Base + ")"
	case choice(a):
		return "TYPE(*)"
	case text(a):
		return "CHARACTER(LEN=*)"
	case slices.Contains(logicals, a.Name) && !strings.HasSuffix(f.Name, "agree"): // whose flag has many bits
		return "LOGICAL"
	case addressWord(a) && oldAttribute(f):
		return "INTEGER"
	case addressWord(a), a.Base == "Aint":
		return "INTEGER(KIND=MPI_ADDRESS_KIND)"
	case a.Base == "Offset":
		return "INTEGER(KIND=MPI_OFFSET_KIND)"
	case a.Base == "Count":
		return "INTEGER(KIND=MPI_COUNT_KIND)"
	}
	return "INTEGER"
}

// fortranShape is the shape of an argument in Fortran.
func fortranShape(a api.Arg, d dialect) string {
	array := a.Shape == api.In || a.Shape == api.Out
	switch {
	case d == f08 && detached(a):
		return ""
	case choice(a), d == f08 && a.Base == "Status" && array:
		return "(*)"
	case d == f08 && a.Base == "Status":
		return ""
	case a.Base == "Status" && array:
		return "(MPI_STATUS_SIZE,*)"
	case a.Base == "Status":
		return "(MPI_STATUS_SIZE)"
	case a.Shape == api.InOfArrays && a.Base == "string":
		return "(count,*)"
	case a.Shape == api.InOfArrays:
		return "(3,*)"
	case array && a.Base != "char":
		return "(*)"
	}
	return ""
}

// fortranConstant is a constant in Fortran.
type fortranConstant struct {
	name, kind string // kind: of the INTEGER, or ""
	value      int
	handle     string // its type in mpi_f08 without MPI_, or ""
}

// fortranConstants are the constants that Fortran has.
func fortranConstants(t *table) []fortranConstant {
	var all []fortranConstant
	for _, g := range t.face.Constants {
		kind, handle := "", ""
		switch {
		case g.Form == "enum" || strings.Contains(g.Title, "_function") || strings.HasPrefix(g.Title, "T_"):
			continue
		case strings.HasPrefix(g.Title, "Tools") && g.Title != "Tools: verbosity":
			continue
		case g.Form == "type" && g.Title == "Offset":
			kind = "MPI_OFFSET_KIND"
		case g.Form == "type" && !(api.Kind{Base: g.Title}).Handle():
			continue // addresses: see sentinels
		case g.Form == "type":
			handle = g.Title
		}
		for _, c := range g.Constants {
			if fortran := c.CName(); !strings.HasPrefix(c.Name, "F_") {
				value := c.Value
				if strings.HasPrefix(c.Name, "MAX_") {
					value-- // without the zero byte
				}
				all = append(all, fortranConstant{fortran, kind, value, handle})
			}
		}
	}
	for i, name := range []string{"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"} {
		all = append(all, fortranConstant{name: name, value: i + 1})
	}
	return append(all, fortranConstant{name: "MPI_STATUS_SIZE", value: 8})
}

// kinds are declared before all other constants.
var fortranKinds = []fortranConstant{{name: "MPI_ADDRESS_KIND", value: 8}, {name: "MPI_OFFSET_KIND", value: 8},
	{name: "MPI_COUNT_KIND", value: 8}, {name: "MPI_INTEGER_KIND", value: 4}}

// sentinels are the variables of the common block whose addresses are arguments of a special
// meaning. fortran.h has the same block in C, so their sizes are those of a default INTEGER without
// -fdefault-integer-8.
var sentinels = []string{"MPI_BOTTOM", "MPI_IN_PLACE", "MPI_BUFFER_AUTOMATIC", "MPI_UNWEIGHTED(1)",
	"MPI_WEIGHTS_EMPTY(1)",
	"MPI_ERRCODES_IGNORE(1)", "MPI_STATUS_IGNORE(MPI_STATUS_SIZE)", "MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)"}

const sentinelBlock = "MPI_F_SENTINELS"

// textSentinels are those of type CHARACTER, in a block of their own.
var textSentinels = []string{"MPI_ARGV_NULL(1)", "MPI_ARGVS_NULL(1,1)"}

const textBlock = "MPI_F_TEXTS"

// predefinedCallbacks are subroutines that a program hands over in place of its own.
var predefinedCallbacks = []string{"MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN", "MPI_DUP_FN",
	"MPI_COMM_NULL_COPY_FN", "MPI_COMM_NULL_DELETE_FN", "MPI_COMM_DUP_FN",
	"MPI_TYPE_NULL_COPY_FN", "MPI_TYPE_NULL_DELETE_FN", "MPI_TYPE_DUP_FN",
	"MPI_WIN_NULL_COPY_FN", "MPI_WIN_NULL_DELETE_FN", "MPI_WIN_DUP_FN", "MPI_CONVERSION_FN_NULL"}

// declarations are the constants and sentinels in lines that are right in fixed and in free
// form: at most 72 columns, from the seventh on.
func declarations(t *table, d dialect) string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, "      "+format+"\n", args...) }
	for _, c := range append(slices.Clone(fortranKinds), fortranConstants(t)...) {
		kind, value := "INTEGER", fmt.Sprint(c.value)
		switch {
		case c.handle != "" && d == f08:
			kind = "TYPE(MPI_" + c.handle + ")"
			value = "MPI_" + c.handle + "(" + value + ")"
		case c.kind != "":
			kind += "(KIND=" + c.kind + ")"
		}
		add("%s %s", kind, c.name)
		add("PARAMETER (%s=%s)", c.name, value)
	}
	for _, name := range []string{"MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"} {
		add("LOGICAL %s", name)
		add("PARAMETER (%s=.FALSE.)", name)
	}
	common := func(kind, block string, names []string) {
		for _, s := range names {
			if d == f08 && strings.Contains(s, "STATUS") {
				s = strings.NewReplacer("(MPI_STATUS_SIZE)", "", "MPI_STATUS_SIZE,", "").Replace(s)
				add("TYPE(MPI_Status) %s", s)
			} else {
				add("%s %s", kind, s)
			}
		}
		for _, s := range names {
			name, _, _ := strings.Cut(s, "(")
			add("COMMON /%s/ %s", block, name)
		}
		add("SAVE /%s/", block)
	}
	common("INTEGER(KIND=4)", sentinelBlock, sentinels)
	common("CHARACTER*1", textBlock, textSentinels)
	return b.String()
}
