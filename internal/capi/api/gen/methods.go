package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// method is a method of capi.Process.
type method struct {
	name    string
	params  []string // their types
	results []string
	end     string // of a collective operation: the beginning of the call that ends it
	own     int    // how many parameters, the last ones, that call takes
}

// call is the call of the method with these arguments.
func (m method) call(args []string) string {
	if m.end == "" {
		return fmt.Sprintf("p.%s(%s)", m.name, strings.Join(args, ", "))
	}
	n := len(args) - m.own
	made := fmt.Sprintf("p.%s(&k, %s)", m.name, strings.Join(args[:n], ", "))
	return fmt.Sprintf("%s%s)", m.end, strings.Join(append(args[n:], made), ", "))
}

// functions are the names of the functions that have this method, and how each of them calls it.
func (m method) functions() map[string]method {
	if len(m.params) == 0 || m.params[0] != "*collective" {
		return map[string]method{m.name: m}
	}
	form := func(end string, own ...string) method {
		return method{m.name, append(m.params[1:len(m.params):len(m.params)], own...), m.results, end, len(own)}
	}
	return map[string]method{
		m.name: form("k.run("),
		"I" + strings.ToLower(m.name[:1]) + m.name[1:]: form("k.begin(p, ", "Ptr[Request]"),
		m.name + "_init": form("k.prepare(p, ", "Info", "Ptr[Request]"),
	}
}

// lookup is how a handle becomes the object that it stands for.
type lookup struct {
	handle string // its Go type
	by     string // the method of Process that returns the object or an error
}

// lookups are the types of parameters that may take the place of a handle.
var lookups = map[string]lookup{
	"*communicator":       {"Comm", "comm"},
	"*comm.Cart":          {"Comm", "cart"},
	"*comm.GraphTopology": {"Comm", "graph"},
	"*comm.Group":         {"Group", "group"},
	"*comm.Info":          {"Info", "hints"},
	"*control":            {"T_cvar_handle", "control"},
	"*session":            {"Session", "session"},
	"*toolSession":        {"T_pvar_session", "toolSession"},
	"*openFile":           {"File", "opened"},
	"*graphObject":        {"Graph", "graphOf"},
	"*windowObject":       {"Win", "window"},
	"*typeObject":         {"Type", "typeOf"},
}

// read reads the exported methods of *Process from the sources of package capi, by the names of their
// functions, and what may be a lookup of a target. Generated files are not read: they may be stale.
func (t *table) read(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	t.methods, t.lookups = map[string]method{}, map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("gen: read the methods of Process: %w", err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				t.declared(fn)
			}
		}
	}
	return nil
}

// declared notes a function of package capi.
func (t *table) declared(fn *ast.FuncDecl) {
	name, results := fn.Name.Name, typesOf(fn.Type.Results)
	switch {
	case fn.Name.IsExported() && ofProcess(fn):
		m := method{name: name, params: typesOf(fn.Type.Params), results: results}
		maps.Copy(t.methods, m.functions())
	case len(results) != 2 || results[1] != "error":
	case ofProcess(fn):
		t.lookups[name] = "p." + name
	case fn.Recv == nil:
		t.lookups[name] = name
	}
}

// ofProcess tells whether fn is a method of *Process.
func ofProcess(fn *ast.FuncDecl) bool {
	return fn.Recv != nil && types.ExprString(fn.Recv.List[0].Type) == "*Process"
}

// typesOf lists the types of parameters, one for each name.
func typesOf(list *ast.FieldList) []string {
	if list == nil {
		return nil
	}
	var all []string
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			all = append(all, types.ExprString(field.Type))
		}
	}
	return all
}
