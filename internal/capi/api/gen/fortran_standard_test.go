package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// binding is what Fortran sees of a subroutine.
type binding struct {
	args   []fortranArg
	result string // "ierror", a kind of a function, or ""
}

type fortranArg struct {
	name, kind string // kind: see testdata/fortran_standard.txt
	shape      string
	written    bool
}

func (b binding) String() string {
	var all []string
	for _, a := range b.args {
		text := a.name + ":" + a.kind + a.shape
		if a.written {
			text += ">"
		}
		all = append(all, text)
	}
	return strings.TrimSpace(strings.Join(append(all, b.result), " "))
}

// standard reads the table of the standard's bindings.
func standard(t *testing.T) map[string]binding {
	t.Helper()
	text, err := os.ReadFile("testdata/fortran_standard.txt")
	require.NoError(t, err)
	argument := regexp.MustCompile(`^(\w+):([A-Z])([][3]*)(>|<>)?$`)
	all := map[string]binding{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		var b binding
		for _, word := range words[1:] {
			switch m := argument.FindStringSubmatch(word); {
			case m != nil:
				b.args = append(b.args, fortranArg{m[1], m[2], m[3], m[4] != ""})
			case word != "module":
				b.result = strings.TrimPrefix(word, "=")
			}
		}
		all[words[0]] = b
	}
	return all
}

var (
	interfaceBody = regexp.MustCompile(
		`(?s)  (?:subroutine|function) (\w+)\(([^)]*)\)[^\n]*\n(.*?)  end (?:subroutine|function)\n`)
	declared = regexp.MustCompile(
		`(?m)^ *([A-Z][^\n]*?)((?:, OPTIONAL)?, INTENT\((?:IN|INOUT)\)|, TARGET|, VALUE)? :: ([^\n]*)$`)
	profiling = regexp.MustCompile(`PROCEDURE\((\w+)\) :: P(\w+)`)
	entity    = regexp.MustCompile(`(\w+)(\([^)]*\))?`)
)

// comparisons are the functions of the operators .EQ. and .NE. of the types that the module names.
var comparisons = regexp.MustCompile(`^MPI_\w+_(eq|ne)$`)

// kinds are the letters of types.
var kinds = map[string]string{"INTEGER": "I", "INTEGER(C_INT)": "I", "LOGICAL": "L", "CHARACTER(LEN=*)": "S",
	"EXTERNAL": "F", "TYPE(*)": "X",
	"INTEGER(KIND=MPI_ADDRESS_KIND)": "A", "INTEGER(KIND=MPI_COUNT_KIND)": "C", "INTEGER(KIND=MPI_OFFSET_KIND)": "O",
	"TYPE(MPI_Status)": "M", "TYPE(C_PTR)": "P", "DOUBLE PRECISION": "D"}

// shapes are the notations of shapes, but for that of a buffer, which has none.
var shapes = map[string]string{"(*)": "[]", "(3,*)": "[3]", "(count,*)": "[][]", "(MPI_STATUS_SIZE)": "",
	"(MPI_STATUS_SIZE,*)": "[]", "(..)": ""}

// letter is the letter of a type. Handles of mpi_f08 have that of the INTEGERs of the module mpi.
func letter(kind string) string {
	base, _ := strings.CutPrefix(strings.TrimSuffix(kind, ")"), "TYPE(MPI_")
	switch {
	case strings.HasPrefix(kind, "PROCEDURE("):
		return "F"
	case (api.Kind{Base: base}).Handle():
		return "I"
	}
	return kinds[kind]
}

// offered reads the interfaces of a module.
func offered(t *testing.T, module string) map[string]binding {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "cmd/libmpi/gen", module))
	require.NoError(t, err)
	joined := regexp.MustCompile(`, &\n *`).ReplaceAllString(string(text), ", ")
	all := map[string]binding{}
	for _, m := range interfaceBody.FindAllStringSubmatch(joined, -1) {
		if comparisons.MatchString(m[1]) {
			continue
		}
		args := map[string]fortranArg{}
		for _, d := range declared.FindAllStringSubmatch(m[3], -1) {
			for _, e := range entity.FindAllStringSubmatch(d[3], -1) {
				a := fortranArg{e[1], letter(d[1]), shapes[e[2]], strings.Contains(d[2], "INOUT")}
				require.NotEmpty(t, a.kind, "%s: %s", m[1], d[0])
				if strings.HasPrefix(e[2], "(MPI_STATUS_SIZE") {
					a.kind = "T"
				}
				if a.kind == "X" {
					a.shape = ""
				}
				args[e[1]] = a
			}
		}
		var b binding
		for name := range strings.SplitSeq(m[2], ", ") {
			if name == "ierror" {
				b.result = name
			} else if name != "" {
				b.args = append(b.args, args[name])
			}
		}
		if r, ok := args[m[1]]; ok {
			b.result = r.kind
		}
		all[m[1]] = b
	}
	for _, m := range profiling.FindAllStringSubmatch(joined, -1) {
		all["P"+m[2]] = all[m[1]]
	}
	return all
}

// compared is a binding without the intents that do not show: that of a buffer, and of the request of
// MPI_Cancel, to which C takes a pointer.
func compared(name string, b binding) string {
	c := binding{slices.Clone(b.args), b.result}
	for i, a := range c.args {
		if a.kind == "X" || name == "Cancel" {
			c.args[i].written = false
		}
	}
	return c.String()
}

// TestFortranIsThatOfTheStandard: each subroutine of the standard is offered, with the same names,
// types, shapes and intents of the same arguments, under both names; and no other.
func TestFortranIsThatOfTheStandard(t *testing.T) {
	want, got := standard(t), offered(t, "mpi.f90")
	require.Greater(t, len(want), 430)
	for name, b := range want {
		for _, prefix := range []string{"MPI_", "PMPI_"} {
			word, cptr := b, binding{slices.Clone(b.args), b.result}
			word.args = slices.Clone(b.args)
			for i, a := range word.args {
				if a.kind == "P" {
					word.args[i].kind = "A"
				}
			}
			require.Equal(t, compared(name, word), compared(name, got[prefix+name]), prefix+name)
			if word.String() != cptr.String() {
				require.Equal(t, cptr.String(), got[prefix+name+"_cptr"].String(), prefix+name)
				delete(got, prefix+name+"_cptr")
			}
			delete(got, prefix+name)
		}
	}
	require.Empty(t, slices.Sorted(maps.Keys(got)), "the standard does not have these")
}

// cType is the type in C of what is passed for a kind.
var cType = map[string]string{"I": "int *", "L": "int *", "A": "MPI_Aint *", "P": "MPI_Aint *",
	"O": "MPI_Offset *", "C": "MPI_Count *",
	"S": "char *", "X": "void *", "T": "MPI_Status *"}

// TestStubsTakeWhatFortranPasses: the functions in C have a parameter for each argument, of
// its kind, then ierror, then the lengths of the texts.
func TestStubsTakeWhatFortranPasses(t *testing.T) {
	signature := regexp.MustCompile(`(?m)^(?:void|double|MPI_Aint) pmpi_(\w+)_\(([^)]*(?:\(\*\)[^)]*)*)\)`)
	inC := map[string][]string{}
	for _, name := range fortranSources(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range signature.FindAllStringSubmatch(string(text), -1) {
			inC[m[1]] = regexp.MustCompile(`,\s+`).Split(m[2], -1)
		}
	}
	for name, b := range standard(t) {
		if name == "Sizeof" || byMacro.MatchString(name) { // a descriptor; see fortran_attributes.c
			continue
		}
		var want []string
		lengths := 0
		for _, a := range b.args {
			want = append(want, cType[a.kind])
			if a.kind == "S" {
				lengths++
			}
		}
		if b.result == "ierror" {
			want = append(want, "int *")
		}
		want = append(want, slices.Repeat([]string{"f_length "}, lengths)...)
		got := inC[strings.ToLower(name)]
		if slices.Equal(got, []string{"void"}) {
			got = nil
		}
		require.Len(t, got, len(want), name)
		for i := range want {
			if want[i] != "" && !strings.Contains(got[i], "[3]") && !slices.Contains(otherStatus, name) {
				require.True(t, strings.HasPrefix(got[i], want[i]), "%s: %s instead of %s", name, got[i], want[i])
			}
		}
	}
}

// byMacro are subroutines that macros make.
var byMacro = regexp.MustCompile(`_(create_keyval|[sg]et_attr|datarep)$`)

// otherStatus convert statuses, which C has as arrays of MPI_Fint.
var otherStatus = []string{"Status_f2f08", "Status_f082f"}

// variables are what a program has for each kind and shape.
var variables = map[string]string{"I": "i", "I[]": "iv", "I[3]": "i3", "L": "l", "L[]": "lv", "A": "a", "A[]": "av",
	"O": "o", "C": "c", "C[]": "cv",
	"S": "s", "S[]": "sv", "S[][]": "s2", "T": "st", "T[]": "stv", "M": "ms", "X": "x", "F": "proc", "D": "d", "P": "p"}

// calls makes a program that calls all subroutines with variables of the standard's types.
func calls(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`program p
  use mpi
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  integer :: i, iv(2), i3(3,2), st(MPI_STATUS_SIZE), stv(MPI_STATUS_SIZE,2), ierror
  logical :: l, lv(2)
  integer(MPI_ADDRESS_KIND) :: a, av(2)
  integer(MPI_OFFSET_KIND) :: o
  integer(MPI_COUNT_KIND) :: c
  character(len=9) :: s, sv(2), s2(2,2)
  type(MPI_Status) :: ms
  type(c_ptr) :: p_
  double precision :: d, x(2,2)
  external proc
`)
	all := standard(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, prefix := range []string{"MPI_", "PMPI_"} {
			f := all[name]
			for _, word := range []string{"a", "p_"} {
				var args, keyed []string
				for _, a := range f.args {
					v := variables[a.kind+a.shape]
					require.NotEmpty(t, v, "%s: %v", name, a)
					if a.kind == "P" {
						v = word
					}
					args, keyed = append(args, v), append(keyed, a.name+"="+v)
				}
				lines := []string{"  %s(%s)\n"}
				if f.result == "ierror" {
					args, keyed = append(args, "ierror"), append(keyed, "ierror=ierror")
				}
				call := "call " + prefix + name
				if v := variables[f.result]; v != "" {
					call = v + " = " + prefix + name
				}
				fmt.Fprintf(&b, lines[0], call, strings.Join(args, ", "))
				fmt.Fprintf(&b, lines[0], call, strings.Join(keyed, ", &\n    "))
			}
		}
	}
	b.WriteString("end program\n")
	return b.String()
}

// TestFortranTakesTheStandardsTypes: the compiler accepts calls with the standard's types, and none
// where one type is another, or where what is written is no variable.
func TestFortranTakesTheStandardsTypes(t *testing.T) {
	gfortran(t, "calls.f90", calls(t), "-Wall", "-Wno-unused", "-Wno-uninitialized", "-Werror")
	wrong := []string{
		"call MPI_Pcontrol(1, i)", "call MPI_Dist_graph_neighbors_count(i, i, i, i, i)", "call MPI_Comm_rank(i, 1, i)",
		"call MPI_Get_count(i, i, i, i)", "call MPI_Type_create_hvector(1, 1, i, i, i, i)", "call MPI_Wait(i, i, i)",
	}
	out := gfortranFails(t, "use mpi; integer i\n"+strings.Join(wrong, "\n")+"\nend\n")
	for i, call := range wrong {
		require.Contains(t, out, fmt.Sprintf("wrong.f90:%d:", i+2), call)
	}
}
