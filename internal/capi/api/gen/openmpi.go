package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// The header of the face of Open MPI is for the library itself, and for its tests: programs have that of Open MPI.

func headerOpenMPI(t *table) ([]byte, error) {
	top := strings.Replace(headerTop, "MPI 5.0, standard ABI 1.0.",
		"The binary interface of Open MPI 4 and 5, libmpi.so.40.", 1)
	return headerOf(t, t.openMPI, top+shortStatus), nil
}

const shortStatus = `
typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[3];
} MPI_Status;
`

// ofObjects tells whether the predefined handles of a group are objects.
func ofObjects(g api.Group) bool {
	return slices.Contains(api.Handles(), g.Title) && !strings.HasPrefix(g.Title, "T_")
}

// declareObjects declares the objects of a face, and makes handles of them. Where there is none for a handle it is its
// number.
func declareObjects(face api.Face) string {
	if len(face.Objects) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n/* Predefined handles */\n")
	named := map[string]bool{}
	for _, o := range face.Objects {
		fmt.Fprintf(&b, "extern const int64_t %s[%d];\n", o.Symbol, o.Bytes/8)
	}
	for _, o := range face.Objects {
		if o.Name != "" {
			named[o.Name] = true
			fmt.Fprintf(&b, "#define MPI_%s ((MPI_%s)&%s)\n", o.Name, o.Kind, o.Symbol)
		}
	}
	for _, g := range face.Constants {
		if g.Form != "type" || !ofObjects(g) {
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
	for _, o := range t.openMPI.Objects {
		fmt.Fprintf(&b, "const int64_t %s[%d] __attribute__((aligned(64))) = {%#x};\n", o.Symbol, o.Bytes/8, o.Number)
	}
	b.WriteString("\nconst void *const libmpi_objects[LIBMPI_CONSTANTS] = {\n")
	for _, o := range t.openMPI.Objects {
		if o.Name != "" {
			fmt.Fprintf(&b, "    [%#x] = %s,\n", o.Number, o.Symbol)
		}
	}
	b.WriteString("};\n\nconst short libmpi_integers[LIBMPI_CONSTANTS] = {\n")
	kinds := map[string]string{}
	for _, o := range t.openMPI.Objects {
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
