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

// peerOf is the MPI whose binary interface a face is, as it is installed.
type peerOf struct {
	compiler, packages string
	face               func() (api.Face, error)
	other              []string // constants that are no constants there, or by intent others
	names              string   // declares others by the names that they have in the ABI
}

var peers = []peerOf{
	{"mpicc.openmpi", "libopenmpi-dev", api.OpenMPI, nil, ""},
	{"mpicc.mpich", "libmpich-dev", api.MPICH,
		[]string{"UNWEIGHTED", "WEIGHTS_EMPTY", "T_PVAR_ALL_HANDLES", "BSEND_OVERHEAD", "INTEGER16"},
		"#define MPI_ERR_PROC_FAILED MPIX_ERR_PROC_FAILED\n#define MPI_ERR_REVOKED MPIX_ERR_REVOKED\n" +
			"#define MPI_ERR_PROC_FAILED_PENDING MPIX_ERR_PROC_FAILED_PENDING\n"},
}

// values are the constants of a face in C, which are integers or addresses, without those that are skipped.
func values(face api.Face, skip map[string]bool) map[string]string {
	all := map[string]string{}
	for _, g := range face.Constants {
		if g.Form == "type" && (hasPredefined(g) || strings.Contains(g.Title, "unction") || g.Title[0] == '[') {
			continue
		}
		for _, c := range g.Constants {
			if !skip[c.Name] && !strings.HasPrefix(c.Name, "MPIX_") {
				all[c.Name] = "(long)MPI_" + c.Name + " == " + c.Text
			}
		}
	}
	for _, p := range face.Predefined {
		if face.Form == api.Ints && !skip[p.Name] {
			all[p.Name] = fmt.Sprintf("(unsigned)(long)MPI_%s == %#x", p.Name, p.Value)
		}
	}
	return all
}

// disagrees is what the compiler of an MPI says where a constant has another value there.
func (p peerOf) disagrees(t *testing.T, face api.Face, skip map[string]bool) (says string, n int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("#include <stddef.h>\n#include <mpi.h>\n" + p.names + "int main(void)\n{\n")
	all := values(face, skip)
	for name, value := range all {
		fmt.Fprintf(&b, "int is_%s[%s ? 1 : -1];\n", name, value)
	}
	fmt.Fprintf(&b, "return sizeof(char[sizeof(MPI_Status) == %d ? 1 : -1]) - 1;\n}\n", face.StatusSize)
	source := filepath.Join(t.TempDir(), "numbers.c")
	require.NoError(t, os.WriteFile(source, []byte(b.String()), 0o600))
	out, err := exec.Command(p.compiler, "-w", "-fmax-errors=0", "-fsyntax-only", source).CombinedOutput()
	if err == nil {
		return "", len(all)
	}
	return string(out), len(all)
}

// The numbers of a face are those of the header of its MPI, as far as that has them: later versions have more.
func TestNumbersAreThoseOfTheirMPI(t *testing.T) {
	for _, p := range peers {
		t.Run(p.compiler, func(t *testing.T) {
			if _, err := exec.LookPath(p.compiler); err != nil {
				t.Skipf("%s is not installed (Debian: %s)", p.compiler, p.packages)
			}
			face, err := p.face()
			require.NoError(t, err)
			skip := map[string]bool{}
			for _, name := range p.other {
				skip[name] = true
			}
			out, _ := p.disagrees(t, face, skip)
			for _, m := range undeclared.FindAllStringSubmatch(out, -1) {
				skip[m[1]] = true
			}
			out, n := p.disagrees(t, face, skip)
			require.Empty(t, out)
			require.Greater(t, n, map[api.HandleForm]int{api.Objects: 200, api.Ints: 310}[face.Form])
		})
	}
}

// What the library knows by its number has one number.
func TestNumbersOfOneKindDiffer(t *testing.T) {
	for _, p := range peers {
		face, err := p.face()
		require.NoError(t, err)
		require.Greater(t, len(face.Predefined), 104)
		symbols, numbers := map[string]bool{}, map[string]string{}
		for _, o := range face.Predefined {
			require.False(t, face.Form == api.Objects && symbols[o.Symbol], o.Symbol)
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
}

// In a face with ints a table finds the number of a predefined handle, and no such handle is that of an object.
func TestIntsHaveTheirPlaces(t *testing.T) {
	face, err := api.MPICH()
	require.NoError(t, err)
	places := map[uint32]string{1: "T_PVAR_ALL_HANDLES"}
	for _, p := range face.Predefined {
		at := p.Value>>26<<7 | p.Value&0x7f // intPlace of package capi
		if p.Name != "MESSAGE_NULL" {
			require.Empty(t, places[at], p.Name)
			places[at] = p.Name
		}
		require.Less(t, p.Value&0xff, uint32(0x80), p.Name)
		require.False(t, p.Value >= 1<<31 && p.Value&0xfffff0 != 0, p.Name)
	}
}
