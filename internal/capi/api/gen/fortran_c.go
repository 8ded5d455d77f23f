package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// fortranStubs makes the subroutines that Fortran calls, as gfortran names and calls them:
// lower case and an underscore, all by reference, the lengths of texts at the end. They call
// the functions of C by their MPI_ names, so that tools see the calls. Those that need
// more are in fortran_special.c. What a handle is to C, and by which names programs call a subroutine,
// is a matter of the face: see fortran.h.
func fortranStubs(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + "#include \"../fortran.h\"\n")
	for _, f := range fortranFunctions(t) {
		if slices.Contains(special, f.Name) || detaches(f) {
			continue
		}
		b.WriteString(fortranStub(f, symbol(f.Name), false) + namesOf(f))
		if hasPointer(f) { // an address is the same as INTEGER and as TYPE(C_PTR)
			b.WriteString(naming("CPTR_NAMES", f))
		}
		if persistent(f) {
			b.WriteString(naming("EARLY_NAMES", f))
		}
	}
	for _, f := range extensionForms(t) {
		b.WriteString(fortranStub(f, symbol(f.Name), false))
		if name, x := strings.CutPrefix(symbol(f.Name), "mpix_"); x {
			fmt.Fprintf(&b, "X_NAMES(%s, %s)\n", name, strings.ToUpper(name))
		} else {
			b.WriteString(naming("NAMES", f))
		}
	}
	return b.Bytes(), nil
}

// symbol is the name of a subroutine in the library, without a prefix and the underscore at its end.
func symbol(name string) string { return strings.ToLower(api.CName(name)) }

// fortranStubs08 makes those that only the module mpi_f08 has: with large counts, and with buffers. Handles and
// statuses are the same for it; ierror may be missing.
func fortranStubs08(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + "#include \"../fortran.h\"\n")
	for _, f := range fortranForms(t) {
		switch {
		case ofModule08(f):
			name := symbol(specific08(f))
			b.WriteString(fortranStub(f, name, chooses(f)))
			fmt.Fprintf(&b, "WEAK(weak %s_ = p%[1]s_)\n", name)
		case f.Form == api.Large && !slices.Contains(special, f.Name):
			b.WriteString(fortranStub(f, symbol(f.Name), false) + namesOf(f))
		}
	}
	return b.Bytes(), nil
}

// ofModule08 tells whether a subroutine has other arguments for mpi_f08 than for the module mpi.
func ofModule08(f api.Function) bool { return chooses(f) || detaches(f) && f.Form == api.Base }

// namesOf gives a subroutine the names that programs call.
func namesOf(f api.Function) string {
	if ofModule08(f) || oldAttribute(f) {
		return naming("OLD_NAMES", f)
	}
	return naming("NAMES", f)
}

func naming(macro string, f api.Function) string {
	return fmt.Sprintf("%s(%s, %s)\n", macro, strings.ToLower(f.Name), strings.ToUpper(f.Name))
}

// special are the functions that fortran_special.c has.
var special = []string{"Init", "Init_thread", "Info_create_env", "Info_get", "Info_get_string",
	"Comm_create_keyval", "Type_create_keyval", "Win_create_keyval", "Keyval_create",
	"Comm_get_attr", "Type_get_attr", "Win_get_attr", "Comm_set_attr", "Type_set_attr", "Win_set_attr", "Attr_get",
	"Attr_put", "Grequest_start", "Register_datarep", "Register_datarep_c",
	"Session_get_nth_pset"}

// detached tells whether an argument gets the address of a buffer that was detached.
func detached(a api.Arg) bool { return a.Name == "buffer_addr" }

func detaches(f api.Function) bool { return slices.ContainsFunc(f.Args, detached) }

// stub is a subroutine in the making.
type stub struct {
	params, before, args, after, lengths []string

	calls bool // it makes an object that calls a function of the program
}

// fortranStub makes a subroutine whose buffers are addresses or descriptors.
func fortranStub(f api.Function, name string, descriptors bool) string {
	var s stub
	for _, a := range fortranArgs(f) {
		s.add(f, a)
	}
	wrong := ""
	if descriptors {
		wrong = s.sections(f)
	}
	call := fmt.Sprintf("%s%s(%s)", wrong, api.CName(f.Name), strings.Join(s.args, ", "))
	if f.Result != "" {
		return fmt.Sprintf("\n%s p%s_(%s)\n{\n    return %s;\n}\n", result(f), name, orVoid(s.params), call)
	}
	if slices.Contains(withoutError, f.Name) {
		return fmt.Sprintf("\nvoid p%s_(%s)\n{\n    %s;\n}\n", name, strings.Join(s.params, ", "), call)
	}
	params := append(append(s.params, "int *ierror"), s.lengths...)
	lines := append([]string{"libmpi_fortran = (uintptr_t)CALLER;"}, s.before...)
	lines = append(append(append(lines, "int error = "+call+";"), s.after...), "f_error(ierror, error);")
	return fmt.Sprintf("\nvoid p%s_(%s)\n{\n    %s\n}\n", name, strings.Join(params, ", "),
		strings.Join(lines, "\n    "))
}

func orVoid(params []string) string {
	if len(params) == 0 {
		return "void"
	}
	return strings.Join(params, ", ")
}

// pass is an argument that is given on as it is.
func (s *stub) pass(ctype, name, expr string) {
	s.params = append(s.params, join(ctype, name))
	s.args = append(s.args, expr)
}

func (s *stub) add(f api.Function, a api.Arg) {
	n, base := a.Name, cBase(a.Base)
	switch {
	case a.Callback():
		s.pass(base+" *", n, n)
		s.calls = true
	case text(a) && a.Shape != api.Value && a.Shape != api.Out:
		s.texts(a)
	case text(a):
		s.text(f, a)
	case a.Base == "Address" && addressWord(a) && a.Shape == api.Value:
		s.pass("MPI_Aint *", n, "(void *)*"+n)
	case a.Base == "Address" && a.Shape == api.Pointer:
		s.pass("MPI_Aint *", n, n)
		if detached(a) {
			s.after = append(s.after, "f_detached("+n+");")
		}
	case a.Base == "Address":
		s.pass("void *", n, "f_address("+n+")")
	case a.Base == "Status" && a.Shape == api.Pointer:
		s.pass("MPI_Status *", n, "f_status("+n+")")
	case a.Base == "Status":
		s.pass("MPI_Status *", n, "f_statuses("+n+")")
	case a.Handle():
		s.handle(f, a)
	case a.Shape == api.InOfArrays:
		s.params, s.args = append(s.params, "int "+n+"[][3]"), append(s.args, n)
	case strings.Contains(n, "weights"):
		s.pass(base+" *", n, "f_weights("+n+")")
	case n == "array_of_errcodes":
		s.pass(base+" *", n, "f_errcodes("+n+")")
	case a.Shape == api.Value:
		s.pass(base+" *", n, "*"+n)
	case n == "indx" && a.Shape == api.Pointer, n == "outcount":
		s.index(n)
	default:
		s.pass(base+" *", n, n)
	}
}

// index counts from 1, as Fortran does, what C has counted from 0. A failed call may have written it,
// or not.
func (s *stub) index(name string) {
	s.before = append(s.before, fmt.Sprintf("int c_%s = UNWRITTEN;", name))
	s.pass("int *", name, "&c_"+name)
	if name == "indx" {
		s.after = append(s.after, "f_index(indx, c_indx);")
	} else {
		s.after = append(s.after, "f_indices(outcount, c_outcount, array_of_indices);")
	}
}

// handle converts handles from and to INTEGERs.
func (s *stub) handle(f api.Function, a api.Arg) {
	n, ctype := a.Name, cBase(a.Base)
	switch a.Shape {
	case api.Value:
		s.pass("int *", n, fmt.Sprintf("f_handle(%s, *%s)", a.Base, n))
	case api.Pointer:
		s.before = append(s.before, fmt.Sprintf("%s c_%s = f_handle(%s, *%s);", ctype, n, a.Base, n))
		s.after = append(s.after, fmt.Sprintf("*%s = f_integer(c_%s);", n, n))
		if s.calls {
			s.after = append(s.after, fmt.Sprintf("f_calls(*%s);", n))
		}
		s.pass("int *", n, "&c_"+n)
	default:
		count := countOf(f, a)
		s.before = append(s.before, fmt.Sprintf("int n_%s = %s;", n, count),
			fmt.Sprintf("%s *c_%s = f_handles(%s, %s, n_%s);", ctype, n, a.Base, n, n))
		back := "0"
		if a.Shape == api.Out {
			back = n
		}
		s.after = append(s.after, fmt.Sprintf("f_release(c_%s, n_%s, %s);", n, n, back))
		s.pass("int *", n, "c_"+n)
	}
}

// countOf is how many handles an array has.
func countOf(f api.Function, a api.Arg) string {
	switch {
	case strings.Contains(f.Name, "eighbor_alltoallw"):
		return "f_neighbors(*comm, " + map[bool]string{true: "1", false: "0"}[a.Name == "sendtypes"] + ")"
	case strings.Contains(f.Name, "lltoallw") && a.Name == "sendtypes":
		return "f_address(sendbuf) == MPI_IN_PLACE ? 0 : f_members(*comm)"
	case strings.Contains(f.Name, "lltoallw"):
		return "f_members(*comm)"
	case f.Method == "Type_get_contents":
		return "*max_datatypes"
	}
	for _, b := range f.Own() {
		if b.Name == "count" || b.Name == "incount" {
			return "*" + b.Name
		}
	}
	panic("gen: " + f.Name + " has an array of handles without a length")
}

// limits are the lengths of the texts that functions write.
var limits = map[string]string{"Get_library_version": "MPI_MAX_LIBRARY_VERSION_STRING",
	"Get_processor_name": "MPI_MAX_PROCESSOR_NAME",
	"Error_string":       "MPI_MAX_ERROR_STRING", "Info_get_nthkey": "MPI_MAX_INFO_KEY",
	"Open_port":   "MPI_MAX_PORT_NAME",
	"Lookup_name": "MPI_MAX_PORT_NAME", "File_get_view": "MPI_MAX_DATAREP_STRING"}

// text converts between texts that end with blanks and with a zero byte.
func (s *stub) text(f api.Function, a api.Arg) {
	n := a.Name
	s.params = append(s.params, "char *"+n)
	s.lengths = append(s.lengths, "f_length l_"+n)
	s.args = append(s.args, "c_"+n)
	if a.Base == "string" {
		from := "f_string"
		if slices.Contains(stripped, f.Chapter) {
			from = "f_stripped"
		}
		s.before = append(s.before, fmt.Sprintf("char *c_%s = %s(%s, l_%s);", n, from, n, n))
		s.after = append(s.after, fmt.Sprintf("free(c_%s);", n))
		return
	}
	limit := limits[f.Name]
	if limit == "" {
		limit = "MPI_MAX_OBJECT_NAME"
	}
	s.before = append(s.before, fmt.Sprintf("char c_%s[%s] = \"\";", n, limit))
	s.after = append(s.after, fmt.Sprintf("f_text(error, %s, l_%s, c_%s);", n, n, n))
}

// stripped are the chapters in which blanks at the beginning of a text do not count either.
var stripped = []string{"Info", "Dynamic processes"}

// texts converts arrays of texts. One of arguments ends with a text of blanks.
func (s *stub) texts(a api.Arg) {
	n, stars, made, count := a.Name, "**", "f_strings(%s, l_%s, *count)", "*count"
	switch {
	case a.Shape == api.InOfArrays:
		stars, made = "***", "f_argvs(%s, l_%s, *count)"
	case n == "argv":
		made, count = "f_argv(%s, l_%s)", ""
	}
	s.params = append(s.params, "char *"+n)
	s.lengths = append(s.lengths, "f_length l_"+n)
	s.args = append(s.args, "c_"+n)
	s.before = append(s.before, fmt.Sprintf("char %sc_%s = "+made+";", stars, n, n, n))
	release, _, _ := strings.Cut(made, "(")
	s.after = append(s.after, fmt.Sprintf("%s_free(%s);", release, strings.TrimSuffix("c_"+n+", "+count, ", ")))
}
