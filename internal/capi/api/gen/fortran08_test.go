package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// shared are the subroutines that both modules have by one declaration.
var shared = []string{"F_sync_reg", "Sizeof", "Status_f2f08", "Status_f082f"}

// standard08 is the table of the standard's bindings, as mpi_f08 has them.
func standard08(t *testing.T) map[string]binding {
	t.Helper()
	all := standard(t)
	for name, b := range all {
		for i, a := range b.args {
			switch {
			case slices.Contains(shared, name):
			case a.kind == "T":
				b.args[i].kind = "M"
			case a.name == "buffer_addr":
				b.args[i].kind = "P"
			}
		}
		if oldAttribute(api.Function{Name: name}) {
			delete(all, name)
		}
	}
	return all
}

// TestFortran08IsThatOfTheStandard: each subroutine of the standard is offered by the name that tools
// wrap, with the same arguments. There are large forms besides.
func TestFortran08IsThatOfTheStandard(t *testing.T) {
	want, got := standard08(t), offered(t, "mpi_f08.f90")
	require.Greater(t, len(want), 420)
	for name, b := range want {
		suffix := "_f08"
		switch {
		case slices.Contains(shared, name):
			continue
		case b.result == "D" || b.result == "A":
			suffix = ""
		case strings.Contains(compared(name, b), ":X"):
			suffix = "_f08ts"
		}
		for _, prefix := range []string{"MPI_", "PMPI_"} {
			require.Equal(t, compared(name, b), compared(name, got[prefix+name+suffix]), prefix+name)
			delete(got, prefix+name+suffix)
		}
	}
	for name := range maps.Keys(got) {
		require.True(t, strings.HasSuffix(strings.TrimSuffix(name, "ts"), "_c_f08") ||
			isCallback(strings.TrimPrefix(name, "MPI_")), name)
	}
}

// passed is what a program has for an argument, of a function of the table or of one of its forms.
func passed(f api.Function, a fortranArg) string {
	for _, b := range f.Own() {
		if fortranName(b) != a.name || b.Base == "Address" || a.kind == "L" || a.kind == "S" {
			continue
		}
		word := map[string]string{"Count": "c", "Aint": "a", "Offset": "o", "int": "i", "Status": "ms"}[b.Base]
		if b.Handle() || b.Callback() {
			word = "of_" + b.Base
		}
		if b.Shape == api.In || b.Shape == api.Out {
			word += "v"
		}
		if a.shape != "[3]" {
			return word
		}
	}
	return strings.Replace(variables[a.kind+a.shape], "p", "p_", 1)
}

// calls08 makes a program that calls all forms of all subroutines, with and without ierror.
func calls08(t *testing.T) string {
	t.Helper()
	table, err := load(root)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(`program p
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  integer :: i, iv(2), i3(3,2), st(MPI_STATUS_SIZE), ierror
  logical :: l, lv(2)
  integer(MPI_ADDRESS_KIND) :: a, av(2)
  integer(MPI_OFFSET_KIND) :: o
  integer(MPI_COUNT_KIND) :: c, cv(2)
  character(len=9) :: s, sv(2), s2(2,2)
  type(MPI_Status) :: ms, msv(2)
  type(c_ptr) :: p_
  double precision :: d, x(2,2)
`)
	for _, c := range converted {
		fmt.Fprintf(&b, "  type(MPI_%s) :: of_%s, of_%sv(2)\n", c[0], c[0], c[0])
	}
	for _, c := range fortranCallbacks(table) {
		fmt.Fprintf(&b, "  procedure(MPI_%s) :: of_%s\n", c.Name, c.Name)
	}
	all := standard08(t)
	for _, f := range fortranForms(table) {
		bound, there := all[strings.TrimSuffix(f.Name, "_c")]
		if !there {
			continue
		}
		var args []string
		for _, a := range f.Own() {
			i := slices.IndexFunc(bound.args, func(b fortranArg) bool { return b.name == fortranName(a) })
			if i >= 0 {
				args = append(args, fortranName(a)+"="+passed(f, bound.args[i]))
			} else if a.Growth == api.Additional {
				args = append(args, a.Name+"="+passed(f, fortranArg{name: a.Name}))
			}
		}
		for _, prefix := range []string{"MPI_", "PMPI_"} {
			name := prefix + f.Method
			if namedLarge(f) || f.Form != api.Large {
				name = prefix + f.Name
			}
			if v := variables[bound.result]; v != "" {
				fmt.Fprintf(&b, "  %s = %s(%s)\n", v, name, strings.Join(args, ", &\n    "))
				continue
			}
			fmt.Fprintf(&b, "  call %s(%s)\n", name, strings.Join(args, ", &\n    "))
			if bound.result == "ierror" {
				fmt.Fprintf(&b, "  call %s(%s)\n", name, strings.Join(append(args, "ierror=ierror"), ", &\n    "))
			}
		}
	}
	b.WriteString("end program\n")
	return b.String()
}

// TestFortran08TakesTheStandardsTypes: the compiler accepts calls with the standard's types, and none with
// a handle of another type.
func TestFortran08TakesTheStandardsTypes(t *testing.T) {
	gfortran(t, "calls.f90", calls08(t), "-Wall", "-Wno-unused", "-Wno-uninitialized", "-Werror")
	wrong := []string{
		"call MPI_Comm_rank(MPI_INTEGER, i)", "call MPI_Comm_rank(0, i)", "call MPI_Barrier(i, i)",
		"call MPI_Op_create(i, .true., op)", "if (op == MPI_COMM_WORLD) i = 0",
	}
	out := gfortranFails(t, "use mpi_f08; integer i; type(MPI_Op) op\n"+strings.Join(wrong, "\n")+"\nend\n")
	for i, call := range wrong {
		require.Contains(t, out, fmt.Sprintf("wrong.f90:%d:", i+2), call)
	}
}
