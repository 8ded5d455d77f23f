package examples_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const mpi = "github.com/gopvas/gopvas/mpi"

// seldom is what programs need so seldom that no example has it.
var seldom = []string{
	"(*" + mpi + ".Comm).Revoke", "(*" + mpi + ".Comm).IsRevoked", "(*" + mpi + ".Comm).Agree",
	"(*" + mpi + ".Comm).Shrink", "(*" + mpi + ".Comm).Acknowledge",
	"(*" + mpi + ".Comm).ID", "(*" + mpi + ".Comm).NeighborRanks", "(*" + mpi + ".Comm).OneAddressSpace",
	"(" + mpi + ".Status).CountIn",
}

// Every call of package mpi is made by an example, which is compiled and run: by a program of this
// folder, or by an Example function, which go doc shows.
func TestEveryCallHasAnExample(t *testing.T) {
	files := token.NewFileSet()
	from := compiled(t, files)
	p, err := from.Import(mpi)
	require.NoError(t, err)
	left := callable(p)
	require.Greater(t, len(left), 100, "the calls were not found")
	sources, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	gallery, err := filepath.Glob("gallery/*/main.go")
	require.NoError(t, err)
	sources = append(sources, gallery...)
	for i, main := range sources {
		sources[i] = filepath.Join(filepath.Dir(main), "*.go")
	}
	for _, pattern := range append(sources, "../mpi/example_*_test.go") {
		for _, name := range calls(t, files, from, pattern) {
			delete(left, name)
		}
	}
	for _, name := range seldom {
		require.Contains(t, left, name)
		delete(left, name)
	}
	require.Empty(t, slices.Sorted(maps.Keys(left)), "no example calls these")
}

// compiled imports packages as the compiler has left them.
func compiled(t *testing.T, files *token.FileSet) types.Importer {
	out, err := exec.Command("go", "list", "-export", "-deps", "-test", "-f", "{{.ImportPath}}\t{{.Export}}",
		"./...", "../mpi").Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[name] = file
	}
	return importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// callable is the exported functions of a package, and the exported methods of its types.
// What makes a type an error is called by those who print it.
func callable(p *types.Package) map[string]bool {
	all := map[string]bool{}
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		if f, ok := object.(*types.Func); ok {
			all[f.FullName()] = true
		}
		t, ok := types.Unalias(object.Type()).(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType || t.Obj().Pkg() != p {
			continue
		}
		for m := range t.Methods() {
			if m.Exported() && m.Name() != "Error" {
				all[m.FullName()] = true
			}
		}
	}
	return all
}

// calls returns what the functions in the files of a pattern use. The helper that starts the
// ranks of an Example function is in another file.
func calls(t *testing.T, files *token.FileSet, from types.Importer, pattern string) (names []string) {
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	var program []*ast.File
	for _, path := range paths {
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if !strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.Base(path), "example_") {
			program = append(program, f)
		}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: from, Error: func(err error) {
		if !strings.HasSuffix(err.Error(), "undefined: ranks") {
			t.Error(err)
		}
	}}
	_, _ = check.Check(pattern, files, program, &info) // Error has been told
	for _, f := range program {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				ast.Inspect(fn, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if f, ok := info.Uses[id].(*types.Func); ok {
							names = append(names, f.Origin().FullName())
						}
					}
					return true
				})
			}
		}
	}
	return names
}
