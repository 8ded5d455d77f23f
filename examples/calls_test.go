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

const (
	mpi  = "github.com/gopvas/gopvas/mpi"
	comm = "github.com/gopvas/gopvas/internal/comm"
)

// below is what faces call, and programs need not: package mpi has a call of its own.
var below = []string{
	"(*" + comm + ".Comm).Attribute", "(*" + comm + ".Comm).SetAttribute", "(*" + comm + ".Comm).DeleteAttribute",
	"(*" + comm + ".Comm).ID", "(*" + comm + ".Comm).NeighborRanks", "(*" + comm + ".Comm).OneAddressSpace",
	"(" + comm + ".Status).CountIn", "(*" + comm + ".Comm).Stats", "(*" + comm + ".Comm).GraphStats",
}

// Every call of package mpi is made by an example, which is compiled and run: by one that
// stands for itself, or in a part of the tour that the guide shows.
func TestEveryCallHasAnExample(t *testing.T) {
	guide, err := os.ReadFile("../docs/writing-ranks.md")
	require.NoError(t, err)
	files := token.NewFileSet()
	from := compiled(t, files)
	p, err := from.Import(mpi)
	require.NoError(t, err)
	left := callable(p)
	require.Greater(t, len(left), 100, "the calls were not found")
	programs, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	for _, main := range programs {
		dir := filepath.Dir(main)
		for _, name := range calls(t, files, from, dir, func(function string) bool {
			return dir != "tour" || strings.Contains(string(guide), "\n"+function+"\n```")
		}) {
			delete(left, name)
		}
	}
	for _, name := range below {
		require.Contains(t, left, name)
		delete(left, name)
	}
	require.Empty(t, slices.Sorted(maps.Keys(left)),
		"no example calls these, or docs/writing-ranks.md does not show it")
}

// compiled imports packages as the compiler has left them.
func compiled(t *testing.T, files *token.FileSet) types.Importer {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...").Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[name] = file
	}
	return importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// callable is the exported functions of a package, and the exported methods of its types,
// also where those are aliases of types of package comm.
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
		if _, isType := object.(*types.TypeName); !ok || !isType || t.Obj().Pkg() != p && t.Obj().Pkg().Path() != comm {
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

// calls returns what the functions of a program use that are shown.
func calls(t *testing.T, files *token.FileSet, from types.Importer, dir string,
	shown func(function string) bool) (names []string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var program []*ast.File
	texts := map[*ast.File][]byte{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		program, texts[f] = append(program, f), text
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	_, err = (&types.Config{Importer: from}).Check(dir, files, program, &info)
	require.NoError(t, err)
	for _, f := range program {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !shown(string(texts[f][files.Position(fn.Pos()).Offset:files.Position(fn.End()).Offset])) {
				continue
			}
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
	return names
}
