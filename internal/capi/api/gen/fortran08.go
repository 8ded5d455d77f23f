package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// The module mpi_f08. Its handles and statuses lie in memory as those of the module mpi do, so it needs
// no code of its own but for buffers: it declares the same subroutines by the names that the standard gives them, with
// more types. A generic name has the form with large counts, too, where arguments tell the two apart.

const module08Top = `module mpi_f08
      use, intrinsic :: iso_c_binding, only: C_PTR
      use mpi, only: operator(.EQ.), operator(.NE.), MPI_Status, &
        %s
      implicit none
      private :: C_PTR
`

// module08 makes mpi_f08.f90.
func module08(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generatedFortran)
	fmt.Fprintf(&b, module08Top, wrapped(sharedNames()))
	b.WriteString(declarations(t, f08) + "abstract interface\n")
	for _, c := range fortranCallbacks(t) {
		b.WriteString(callbackOf(c))
	}
	b.WriteString("end interface\n")
	for _, g := range t.face.Constants {
		if kind, ok := strings.CutPrefix(g.Title, "*"); ok && !oldCallback(kind) && isCallback(kind) {
			for _, c := range g.Constants {
				fmt.Fprintf(&b, "      PROCEDURE(MPI_%s) :: %s\n", kind, c.CName())
			}
		}
	}
	var base api.Function // whose form f is
	for _, f := range fortranForms(t) {
		if f.Form == api.Base {
			base = f
		}
		if !oldAttribute(f) && (f.Form != api.Large || apart(f, base) || namedLarge(f)) {
			b.WriteString(generic(f))
		}
	}
	b.WriteString("end module mpi_f08\n")
	return b.Bytes(), nil
}

// sharedNames are what both modules have, but for operators and the status.
func sharedNames() []string {
	var names []string
	for _, c := range converted {
		names = append(names, "MPI_"+c[0])
	}
	for _, prefix := range []string{"MPI_", "PMPI_"} {
		for _, name := range []string{"F_sync_reg", "Sizeof", "Status_f2f08", "Status_f082f"} {
			names = append(names, prefix+name)
		}
	}
	return names
}

// specific08 is the name of a subroutine that programs may define in its place, without MPI_: MPI 5.0, section 20.1.5,
// schemes 1A and 1B.
func specific08(f api.Function) string {
	if chooses(f) {
		return f.Name + "_f08ts"
	}
	return f.Name + "_f08"
}

// generic declares a subroutine, and adds it to the generic names of all its forms.
func generic(f api.Function) string {
	if fortranResult(f) != "" {
		return "interface\n" + interfaceOf("MPI_"+f.Name, f, f08) + "end interface\n" + profiled("MPI_"+f.Name)
	}
	name, specific := api.CName(f.Name), api.CName(specific08(f))
	if f.Form == api.Large && !namedLarge(f) {
		name = api.CName(f.Method)
	}
	body := interfaceOf(specific, f, f08)
	if kept(f) {
		return fmt.Sprintf("interface %s\n%send interface\ninterface P%s\n%send interface\n",
			name, body, name, interfaceOf("P"+specific, f, f08))
	}
	return fmt.Sprintf("interface %s\n%send interface\n%sinterface P%s\n  procedure P%s\nend interface\n",
		name, body, profiled(specific), name, specific)
}

// namedLarge tells whether the large form has a name of its own: it differs by its callbacks only.
func namedLarge(f api.Function) bool {
	return slices.ContainsFunc(f.Args, func(a api.Arg) bool { return a.Callback() && a.Growth == api.ToCount })
}

// apart tells whether arguments of two forms are of different types. Counts and addresses are of one.
func apart(f, base api.Function) bool {
	for i, a := range f.Args {
		if a.Growth == api.Additional || a.Kind != base.Args[i].Kind && base.Args[i].Narrow() {
			return true
		}
	}
	return false
}

func isCallback(kind string) bool { return (api.Kind{Base: kind}).Callback() }

// oldCallback tells whether a type of callbacks is of MPI 1.
func oldCallback(kind string) bool { return kind == "Copy_function" || kind == "Delete_function" }

// fortranCallbacks are the types of callbacks that Fortran has.
func fortranCallbacks(t *table) []api.Function {
	return slices.DeleteFunc(slices.Clone(t.callbacks), func(f api.Function) bool {
		return strings.HasPrefix(f.Name, "T_") || oldCallback(f.Name)
	})
}

// callbackOf declares a type of callbacks. Programs have the same, so it says no INTENT.
func callbackOf(f api.Function) string {
	var names, lines []string
	for _, a := range f.Own() {
		kind := fortranKind(f, a, f08)
		switch {
		case kind == "TYPE(*)":
			kind = "TYPE(C_PTR), VALUE"
		case a.Name == "complete":
			kind = "LOGICAL"
		}
		names, lines = append(names, a.Name), append(lines, kind+" :: "+a.Name)
	}
	if f.Result == "" {
		names, lines = append(names, "ierror"), append(lines, "INTEGER :: ierror")
	}
	return fmt.Sprintf("  subroutine MPI_%s(%s)\n    import\n    %s\n  end subroutine\n", f.Name,
		wrapped(names), strings.Join(lines, "\n    "))
}
