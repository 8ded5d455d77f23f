package house

import (
	"go/ast"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// profiled finds a function of this module in a line of the profile: its time, package and name.
var profiled = regexp.MustCompile(`^ *([\d.]+)ms .* ` + regexp.QuoteMeta(module) + `/([a-z0-9/]+)\.([^ \n]+)`)

// typeArguments finds those of functions.
var typeArguments = regexp.MustCompile(`\[.*\]`)

// The compiler ignores what the profile of the MPI library says of functions that are gone or have another place. So
// nearly all the time of the profile has to lie in functions that are there.
func TestProfileNamesFunctions(t *testing.T) {
	_, files := repository(t)
	there := map[string]bool{}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				name := path.Dir(f.path) + "." + d.Name.Name
				if d.Recv != nil {
					name = path.Dir(f.path) + "." + receiver(d.Recv.List[0].Type) + "." + d.Name.Name
				}
				there[name] = true
			}
		}
	}
	top, err := exec.Command("go", "tool", "pprof", "-top", "-unit=ms", "-nodecount=100000", "-nodefraction=0",
		filepath.Join("..", "..", "..", "cmd", "libmpi", "default.pgo")).Output()
	require.NoError(t, err)
	var all, lost float64
	var gone []string
	for line := range strings.Lines(string(top)) {
		m := profiled.FindStringSubmatch(typeArguments.ReplaceAllString(line, ""))
		if m == nil {
			continue
		}
		names := strings.Split(strings.NewReplacer("(", "", ")", "", "*", "").Replace(m[3]), ".")
		name := m[2] + "." + names[0]
		if !there[name] && len(names) > 1 {
			name += "." + names[1]
		}
		ms, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		all += ms
		if !there[name] {
			lost += ms
			gone = append(gone, name)
		}
	}
	require.Greater(t, all, 10000.0, "the profile tells of less than ten seconds in this module")
	require.LessOrEqual(t, lost, all/50, "make default.pgo anew, as cmd/libmpi/main.go says. These are gone: %q", gone)
}
