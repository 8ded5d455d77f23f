package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// The headers of the faces of Open MPI and of MPICH are for the library itself, and for its tests: programs have those
// of these MPIs.

func headerOpenMPI(t *table) ([]byte, error) { return headerOf(t, t.openMPI), nil }
func headerMPICH(t *table) ([]byte, error)   { return headerOf(t, t.mpich), nil }

// hasPredefined tells whether a face may have other handles than numbers in place of those of a group.
func hasPredefined(g api.Group) bool {
	return slices.Contains(api.Handles(), g.Title) && !strings.HasPrefix(g.Title, "T_")
}

// declarePredefined makes the predefined handles of a face, and declares its objects. A handle that the face does not
// have is its number.
func declarePredefined(face api.Face) string {
	if face.Form == api.Numbers {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n/* Predefined handles */\n")
	named := map[string]bool{}
	for _, p := range face.Predefined {
		if face.Form == api.Objects {
			fmt.Fprintf(&b, "extern const int64_t %s[%d];\n", p.Symbol, p.Bytes/8)
		}
	}
	for _, p := range face.Predefined {
		if p.Name != "" {
			named[p.Name] = true
			value := "&" + p.Symbol
			if face.Form == api.Ints {
				value = fmt.Sprintf("%#x", p.Value)
			}
			fmt.Fprintf(&b, "#define MPI_%s ((MPI_%s)%s)\n", p.Name, p.Kind, value)
		}
	}
	for _, g := range face.Constants {
		if g.Form != "type" || !hasPredefined(g) {
			continue
		}
		for _, c := range g.Constants {
			if !named[c.Name] {
				fmt.Fprintf(&b, "#define %s %s\n", c.CName(), cValue(g.Title, c))
			}
		}
	}
	return b.String()
}

// objectsOpenMPI defines the objects, and makes the tables of handles.
func objectsOpenMPI(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + "#include \"../face.h\"\n\n")
	for _, o := range t.openMPI.Predefined {
		fmt.Fprintf(&b, "const int64_t %s[%d] __attribute__((aligned(64))) = {%#x};\n", o.Symbol, o.Bytes/8, o.Number)
	}
	b.WriteString("\nconst void *const libmpi_objects[LIBMPI_CONSTANTS] = {\n")
	for _, o := range t.openMPI.Predefined {
		if o.Name != "" {
			fmt.Fprintf(&b, "    [%#x] = %s,\n", o.Number, o.Symbol)
		}
	}
	b.WriteString("};\n\nconst short libmpi_integers[LIBMPI_CONSTANTS] = {\n")
	kinds := map[string]string{}
	for _, o := range t.openMPI.Predefined {
		if o.Fortran >= 0 {
			fmt.Fprintf(&b, "    [%#x] = %d + 1,\n", o.Number, o.Fortran)
			kinds[o.Kind] += fmt.Sprintf("[%d] = %#x, ", o.Fortran, o.Number)
		}
	}
	b.WriteString("};\n\nconst short libmpi_numbers[F_KINDS][LIBMPI_INTEGERS] = {\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "    [F_%s] = {%s},\n", kind, strings.TrimSuffix(kinds[kind], ", "))
	}
	b.WriteString("};\n")
	return b.Bytes(), nil
}

// intsMPICH makes the tables of handles. The null message is the null request, which is that number then. Null handles
// of the tool information interface are 0, which is their number; MPI_FILE_NULL, which is not its number, has 0 alone.
func intsMPICH(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + "#include \"../face.h\"\n\n" +
		"const uint32_t libmpi_handles[LIBMPI_CONSTANTS] = {\n    [1] = 1, /* MPI_T_PVAR_ALL_HANDLES */\n")
	numbers := "    [LIBMPI_PLACE(1)] = {1, 1},\n"
	for _, p := range t.mpich.Predefined {
		fmt.Fprintf(&b, "    [%#x] = %#x,\n", p.Number, p.Value)
		if p.Name != "MESSAGE_NULL" {
			numbers += fmt.Sprintf("    [LIBMPI_PLACE(%#x)] = {%#[1]x, %#x},\n", p.Value, p.Number)
		}
	}
	b.WriteString("};\n\nconst struct libmpi_predefined_int libmpi_numbers[LIBMPI_PLACES] = {\n" + numbers + "};\n")
	return b.Bytes(), nil
}
