package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/api"
)

var undeclared = regexp.MustCompile(`\bMPI_(\w+)\W+ undeclared`)

// The numbers of the face are those of the header of Open MPI, as far as that has them: version 5 has more.
func TestNumbersAreThoseOfOpenMPI(t *testing.T) {
	compiler, err := exec.LookPath("mpicc.openmpi")
	if err != nil {
		t.Skip("mpicc.openmpi is not installed (Debian: libopenmpi-dev)")
	}
	face, err := api.OpenMPI()
	require.NoError(t, err)
	check := func(skip map[string]bool) (string, int) {
		var b strings.Builder
		b.WriteString("#include <mpi.h>\nint main(void)\n{\n")
		n := 0
		for _, g := range face.Constants {
			if g.Form == "type" && (ofObjects(g) || strings.Contains(g.Title, "unction") || g.Title[0] == '[') {
				continue
			}
			for _, c := range g.Constants {
				if !skip[c.Name] && !strings.HasPrefix(c.Name, "MPIX_") {
					n++
					fmt.Fprintf(&b, "int %s[(long)MPI_%s == %s ? 1 : -1];\n", "is_"+c.Name, c.Name, c.Text)
				}
			}
		}
		fmt.Fprintf(&b, "return sizeof(char[sizeof(MPI_Status) == %d ? 1 : -1]) - 1;\n}\n", face.StatusSize)
		source := filepath.Join(t.TempDir(), "numbers.c")
		require.NoError(t, os.WriteFile(source, []byte(b.String()), 0o600))
		out, err := exec.Command(compiler, "-w", "-fmax-errors=0", "-fsyntax-only", source).CombinedOutput()
		if err == nil {
			return "", n
		}
		return string(out), n
	}
	missing := map[string]bool{}
	out, _ := check(missing)
	for _, m := range undeclared.FindAllStringSubmatch(out, -1) {
		missing[m[1]] = true
	}
	out, n := check(missing)
	require.Empty(t, out)
	require.Greater(t, n, 200)
}

// What the library knows by its number has one number.
func TestNumbersOfOneKindDiffer(t *testing.T) {
	face, err := api.OpenMPI()
	require.NoError(t, err)
	require.Greater(t, len(face.Objects), 104)
	symbols, numbers := map[string]bool{}, map[string]string{}
	for _, o := range face.Objects {
		require.False(t, symbols[o.Symbol], o.Symbol)
		symbols[o.Symbol] = true
		if o.Name != "" {
			at := fmt.Sprint(o.Kind, o.Number)
			require.Empty(t, numbers[at], o.Name)
			numbers[at] = o.Name
		}
	}
	for _, g := range face.Constants {
		for _, prefix := range []string{"ERR_", "COMBINER_", "COMM_TYPE_", "MODE_NO", "T_BIND_"} {
			values := map[int]string{}
			for _, c := range g.Constants {
				if strings.HasPrefix(c.Name, prefix) || strings.HasPrefix(c.Name, "T_"+prefix) {
					require.Empty(t, values[c.Value], c.Name)
					values[c.Value] = c.Name
				}
			}
		}
	}
}
