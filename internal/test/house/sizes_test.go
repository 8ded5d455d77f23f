package house

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	maxParameters = 7
	maxFiles      = 30    // of a room, tests not counted
	maxExported   = 1_295 // names that a user of the module sees, fields not counted
)

// crowded are the rooms with more than maxFiles files, and how many they may have until they have been divided.
var crowded = map[string]int{
	"datatype":          36,
	"internal/capi":     64,
	"internal/msg/comm": 49,
	"internal/node/sys": 36,
	"mpi":               35,
}

// wide are the folders whose functions have the parameters that the standard gives them.
var wide = []string{"internal/capi", "cmd/libmpi"}

// checkParameters reports functions, and methods of interfaces, with more than maxParameters.
func checkParameters(files []source) (bad []string) {
	for _, f := range files {
		if slices.Contains(wide, path.Dir(f.path)) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if t, ok := n.(*ast.FuncType); ok && t.Params.NumFields() > maxParameters {
				bad = append(bad, fmt.Sprintf("%s:%d: %d parameters, more than %d; some belong together in a type",
					f.path, f.fset.Position(n.Pos()).Line, t.Params.NumFields(), maxParameters))
			}
			return true
		})
	}
	return bad
}

// checkRooms reports folders with more files than maxFiles, or than table allows them, and lines of the table without
// use.
func checkRooms(table map[string]int, files []source) (bad []string) {
	count := map[string]int{}
	for _, f := range files {
		if !f.test() {
			count[path.Dir(f.path)]++
		}
	}
	for dir, n := range count {
		if most := max(maxFiles, table[dir]); n > most {
			bad = append(bad, fmt.Sprintf("%s: %d files, more than %d; divide it", dir, n, most))
		}
	}
	for dir := range table {
		if count[dir] <= maxFiles {
			bad = append(bad, "internal/test/house/sizes_test.go: "+dir+" is not crowded; take its line away")
		}
	}
	slices.Sort(bad)
	return bad
}

// exported counts the names by folder that a user of the module sees: those that are exported outside of internal,
// methods of exported types among them.
func exported(files []source) map[string]int {
	count := map[string]int{}
	for _, f := range files {
		dir := path.Dir(f.path)
		if f.test() || f.ast.Name.Name == "main" || strings.Contains("/"+dir+"/", "/internal/") {
			continue
		}
		for _, d := range f.ast.Decls {
			count[dir] += exportedIn(d)
		}
	}
	return count
}

func exportedIn(d ast.Decl) (n int) {
	see := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
			see(d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				see(s.Name)
			case *ast.ValueSpec:
				see(s.Names...)
			}
		}
	}
	return n
}

// receiver is the name of the type of a receiver.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func TestParameters(t *testing.T) {
	_, files := repository(t)
	report(t, checkParameters(files))
}

func TestRooms(t *testing.T) {
	_, files := repository(t)
	report(t, checkRooms(crowded, files))
}

func TestExportedNames(t *testing.T) {
	_, files := repository(t)
	sum, count := 0, exported(files)
	for _, n := range count {
		sum += n
	}
	t.Log(sum, count)
	if sum > maxExported {
		t.Errorf("users see %d names, more than %d: move what they do not need under internal", sum, maxExported)
	}
}

func TestCheckParameters(t *testing.T) {
	text := `package a
func fits(a, b, c, d, e, f, g int) {}
func wide(a, b, c, d int, e, f, g, h string) {}
type i interface {
	wide(a, b, c, d, e, f, g, h int)
}
var v = func(int, int, int, int, int, int, int, int) {}
`
	got := checkParameters(sources(t, map[string]string{"a/a.go": text, "internal/capi/a.go": text}))
	require.Len(t, got, 3)
	require.Contains(t, got[0], "a/a.go:3: 8 parameters, more than 7")
	require.Contains(t, got[1], "a/a.go:5: ")
	require.Contains(t, got[2], "a/a.go:7: ")
}

func TestCheckRooms(t *testing.T) {
	files := map[string]string{}
	for i := range maxFiles + 1 {
		files[fmt.Sprintf("small/f%d_test.go", i)] = "package a"
		files[fmt.Sprintf("large/f%d.go", i)] = "package a"
		files[fmt.Sprintf("known/f%d.go", i)] = "package a"
	}
	files["small/a.go"], files["grown/a.go"] = "package a", "package a"
	table := map[string]int{"known": maxFiles + 1, "small": 40}
	require.Equal(t, []string{
		"internal/test/house/sizes_test.go: small is not crowded; take its line away",
		"large: 31 files, more than 30; divide it",
	}, checkRooms(table, sources(t, files)))
}

func TestExported(t *testing.T) {
	text := `package a
const One, two = 1, 2
var Three = 3
type (
	Four struct{ Field int }
	five int
	Six[K, V any] struct{}
)
func Seven() {}
func eight() {}
func (Four) Nine() {}
func (*Six[K, V]) Ten() {}
func (five) Eleven() {}
`
	require.Equal(t, map[string]int{"a": 7}, exported(sources(t, map[string]string{
		"a/a.go": text, "a/a_test.go": text, "a/internal/b/b.go": text, "cmd/a.go": "package main\nvar V int\n",
	})))
}
